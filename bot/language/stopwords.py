"""Words that carry no request: left out of what is reported as not understood."""

from typing import Final

STOPWORDS: Final = frozenset(
    """
    a about above across actually after ago ai all already also always am amazon an and any anyone
    anything approximately are around as ask at aws away b back basically be because been before
    being below best better between big bit both box boxes bring but buy by call called can cannot
    card cards chip chips choose chunk class cloud cluster come comes comfortable common configure
    consider considering core cores correct could current currently customer customers day days
    deploy deployed deployment deployments did different do does doing done don doesn down due during
    each ec2 eks either else enough er even ever every everyone everything exactly expect expected
    far few file find fine first fix follow for found from front full fully further general get gets
    getting gets give given gives go goes going gonna good got great guess had half happy has have
    having he hello help her here hey hi high him his hold hour hours how however i idea ideal ideally
    if im in including info instance instances instead into is isn issue it its itself i'd i'll i'm
    i've job jobs just keep keeps kind know language large larger largest last later latest lead least
    left less let like line list little llm llms load long longer look looking lot lots low m machine
    machines made main make makes many may maybe me mean means might min mine minimal minimum model
    models more most much must my myself name need needed needing needs never new next nice no node
    nodes none normal normally not nothing now number of off ok okay old on once one ones only onto or
    order other others otherwise ought our ours out over own owned page parameter parameters params
    part parts per perhaps pick place planning please pls plus plz point possible practical prefer
    preferably probably production project provide put question questions quick quickly quite rather
    re really reasonable recommended regarding regards region request requests required requirement
    requirements requires right room roughly run running runs s said same say says scale see seen
    select server servers service set setup several shall she should show shows side simple simply
    since single size sized sizes slightly small smaller so some someone something soon sort specific
    start started step still stuff such sure surely t take takes tell term terms test than thank
    thanks that that's the their them then there these they thing things think this those though
    through time times to today together token tokens too total toward towards tried try trying turn
    type types typical typically under until up upon us usage use used user users uses using usual
    usually value various very via w want wanted wants was way we well went were what what's whatever
    when where whether which while who whole whose why will wish with within without wonder won work
    working works workload workloads would year years yes yet you your yours
    able above answers app application apps arrive aware anyway aim allow asap begin build building
    business calling chats colleague company confident conversation conversations data dealing dear
    decide demo details device devices dies die divided doc dollars dozen earlier easy end ends etc
    evening existing experience fail failing fails feel fellow fewer figure fill folks fresh friend
    gig gb gib guys hardware heavy hit hope host hosted idle in-house includes individual initial
    input inputs inside internal interested involved keeping killed launch leave level lives local
    low-end make-do manage managed max maximum medium mention method middle minute minutes mode month
    monthly months morning move named nearly newest numbers occasionally often old older opinion option
    options our overall pair party pay people person pipeline plain platform play pool position
    preference pretty previous prod products prompts proper public pure quality queue reach read ready
    reason recent related reliable remain response responses result results rough rule safe saw
    second seconds section self sense server-side serverless shared short sides sits situation smooth
    smoothly software solid solution specs speak standard start-up startup stay stays steady store
    story stream streams struggling support system systems talk target task tasks team teams thanks
    therefore thinking thought throw tight tool traffic true unit units update upto url version
    versions via viable visit wait wanna weeks week weekend works worth wrong yeah
    der die das den dem des ein eine einen einem einer und oder ist sind ich wir brauche brauchen
    welche welcher welches welchen für mit auf pro stunde dollar bitte kann können soll sollte am im
    von zu zum zur bei als wie was wo es nicht mein meine unser modell modelle instanz instanzen
    le la les un une des du de et est pour avec sur dans quel quelle je nous el los las una para con
    en por que
    answer answers based chat chats cheapest comes dev front-end ideas kinda latency limit limits
    hosted pointing gpu gpus vm vms hourly says yours per-request bot plenty env environment
    clients client guide column columns row rows said entire entirely batch spec specs sec secs ms
    passing reqs req less older native window windows context length lengths prompt card's gpu's
    sequence sequences latenz respond responds image images classification experiment experiments modelo blackwell hopper ampere ada quarter
    leaves ran defaults sounds activates mostly compile compiles compiling error errors console engine
    claims claim tricks trick refuse refuses real marketing loading load loads group creation text
    checkpoint checkpoints plugin distributed flexible wants expects handles handling receives
    receiving sends sending peak average averages typical busy users' inch costs affords afford
    pushing moves move chatting writes write writing reading drafts draft
    documents document email emails ticket tickets article articles chapter paragraph paragraphs
    short very huge tiny massive giant modest decent proper strong weak slow slower quick faster
    newer simplest easiest hardest safest safe main primary secondary backup fallback weights weight utilisation utilization parallel precision dtype quantised
    split share memory cache ram vary decision family families generation
    mb tb hr hrs mo month's hour's half-way tops most prompts' hundred thousand million billion trillion
    """.split()  # noqa: SIM905 - one word list reads better as text than as 600 quoted strings
)
