"""A newcomer in a real browser: types the main job, asks on, clicks Deploy, reads the YAML."""

import re
import shutil

import pytest
import yaml

from bot.playground.__main__ import running

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WAIT_MS = 30_000

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def page():
    from playwright.sync_api import sync_playwright

    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        pytest.skip(f"no browser: install one of {', '.join(BROWSERS)}")
    with running() as playground, sync_playwright() as tool:
        opened = tool.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = opened.new_page(viewport={"width": 900, "height": 1400})
        page.set_default_timeout(WAIT_MS)
        page.goto(playground.url)
        yield page
        opened.close()


def test_the_main_job_from_the_first_word_to_the_yaml(page):
    page.get_by_placeholder("/ec2-pick inference 7B latency<100ms").fill(
        "/ec2-pick inference 7B latency<100ms"
    )
    page.keyboard.press("Enter")
    card = page.locator(".card").first
    card.get_by_text("g6e.xlarge · 1× L40S · us-east-1").wait_for()

    thread = page.locator(".thread").filter(has=page.locator(".card"))
    thread.get_by_placeholder("Reply in thread").fill("in Frankfurt on spot")
    page.keyboard.press("Enter")
    answer = thread.locator(".replies .card").first
    answer.get_by_text("eu-central-1").first.wait_for()

    card.get_by_role("button", name="Deploy").click()
    code = thread.locator(".replies").locator("pre, code").filter(has_text="ClusterConfig").first
    code.wait_for()
    text = re.sub(r"\u00a0", " ", code.inner_text())
    config = yaml.safe_load(text)
    assert config["kind"] == "ClusterConfig"
    assert "g6e.xlarge" in [group.get("instanceType") for group in config["managedNodeGroups"]]


def test_the_form_from_the_shortcut_to_the_card(page):
    page.get_by_role("button", name="Size a model").click()
    form = page.get_by_role("dialog")
    form.get_by_text("us-east-1").first.wait_for()  # the preview of the untouched form

    model = form.get_by_label("Model", exact=True)
    model.press_sequentially("llama-3.3-70")
    offered = page.locator("#list-model option[value*='llama-3.3-70b']").first
    offered.wait_for(state="attached")
    model.fill(offered.get_attribute("value"))
    region = form.get_by_label("Region", exact=True)
    region.fill("atlantis")
    region.press("Enter")
    form.get_by_text("No pick yet.").wait_for()
    form.get_by_role("button", name="Post the pick").click()
    form.locator(".error").filter(has_text="There is no AWS region").wait_for()

    region.fill("Frankfurt")
    region.press("Enter")
    form.locator(".preview").filter(has_text="eu-central-1").wait_for()
    count = page.locator(".card").count()
    form.get_by_role("button", name="Post the pick").click()
    form.wait_for(state="hidden")
    card = page.locator(".card").nth(count)
    card.get_by_text("eu-central-1").first.wait_for()

    card.get_by_role("button", name="Change").click()
    changed = page.get_by_role("dialog")
    changed.wait_for()
    assert changed.get_by_label("Region", exact=True).input_value() == "eu-central-1"
    assert changed.get_by_label("Model", exact=True).input_value() == "llama-3.3-70b"
    changed.get_by_role("button", name="Cancel").click()
    changed.wait_for(state="hidden")


def asked_directly(page, text):
    """Ask in the direct conversation; return the thread in which it is answered."""
    page.get_by_role("button", name="ec2-pick", exact=True).click()
    threads = page.locator(".thread")
    before = threads.count()
    page.locator("footer").get_by_role("textbox").fill(text)
    page.keyboard.press("Enter")
    thread = threads.nth(before)
    thread.locator(".card").first.wait_for()
    return thread


def test_a_card_is_shared_from_the_direct_conversation_to_the_channel(page):
    thread = asked_directly(page, "inference llama-3.3-70b")
    with page.expect_event("dialog") as asking:
        page.once("dialog", lambda dialog: dialog.accept())
        thread.get_by_label("Share to channel").select_option(label="#ml-platform")
    assert "Everybody in that channel will see it." in asking.value.message
    thread.get_by_text("Only visible to you").wait_for()
    thread.get_by_text("Shared.").wait_for()

    page.get_by_role("button", name=re.compile("#ml-platform")).click()
    shared = page.locator(".card").filter(has_text="Shared by")
    shared.get_by_text("llama-3.3-70b").first.wait_for()
    assert shared.count() == 1


def test_a_message_of_somebody_else_is_sized_in_its_thread(page):
    page.get_by_role("button", name=re.compile("#ml-platform")).click()
    thread = page.locator(".thread").filter(has_text="Ana:")
    thread.get_by_role("button", name="Size this").click()
    card = thread.locator(".replies .card")
    card.get_by_text("llama-3.1-8b").first.wait_for()
    card.get_by_role("button", name="Share to channel").click()
    page.get_by_text("Shared from its thread").wait_for()


def test_the_home_tab_its_form_and_the_form_that_opens_with_it(page):
    thread = asked_directly(page, "inference 7B")
    thread.get_by_role("button", name="Save").click()
    thread.get_by_text("Saved for you").wait_for()

    page.get_by_role("button", name="Home").click()
    home = page.locator(".home")
    home.get_by_role("button", name="Re-run").wait_for()
    home.get_by_role("button", name="Edit my defaults").click()
    form = page.get_by_role("dialog")
    form.get_by_label("Region", exact=True).fill("atlantis")
    form.get_by_role("button", name="Save").click()
    form.locator(".error").filter(has_text="There is no AWS region").wait_for()
    form.get_by_label("Region", exact=True).fill("Frankfurt")
    form.get_by_label("Purchase option").select_option("spot")
    form.get_by_role("button", name="Save").click()
    form.wait_for(state="hidden")
    home.get_by_text("Defaults saved.").wait_for()
    home.get_by_text("eu-central-1 (your default)").wait_for()

    page.get_by_role("button", name="Size a model").click()
    form = page.get_by_role("dialog")
    form.locator(".preview").filter(has_text=re.compile("eu-central-1.*spot", re.DOTALL)).wait_for()
    assert form.get_by_label("Region", exact=True).input_value() == "eu-central-1"
    assert form.get_by_label("Market", exact=True).input_value() == "spot"
    assert form.get_by_text("Filled in: your default (Home tab).").count() == 2
    form.get_by_role("button", name="Cancel").click()

    home.get_by_role("button", name="Forget").click()
    home.get_by_text("None yet. Press Save").wait_for()
    home.get_by_role("link", name="Open thread").first.click()
    page.locator(".thread").last.wait_for()
    assert page.get_by_role("button", name="ec2-pick", exact=True).get_attribute("aria-current")
