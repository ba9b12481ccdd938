"""The words that mean something here, as data: (what they say, the value, the phrases).

A phrase is matched word by word, whatever joins the words (`on-demand`, `on demand`, `on_demand`),
longest first. Where the first column is a workload field, the phrase says that value; the other
names are signals that a rule or `intent` reads:

- `negate`      the next word is excluded rather than asked for
- `follow`      the text amends an earlier one
- `recommend`   a recommendation is asked for
- `intent:x`    points to that intent, `topic:x` to that subject of an explanation or estimate
- `detail:x`    a fact the answer uses that is no workload field
- `no_quant`    the model's own dtype is asked for; `quantised` some lower one
"""

from typing import Final

Row = tuple[str, object, str]

TASK_WORDS: Final[tuple[Row, ...]] = (
    (
        "task",
        "inference",
        "inference; inferencing; infer; inferenz; inferieren; serve; serves; serving; host; hosting;"
        " predict; predictions; prediction; scoring; chatbot; chat bot; online serving; deploy;"
        " deploying; in production; live server; endpoint; api server; generate text; rag; vorhersage;"
        " summarise; summarize; summarisation; summarization; transcribe; transcription; chat app;"
        " copilot; assistant; inferência; inferencia; inférence; llm server",
    ),
    (
        "task",
        "train",
        "train; trains; training; trained; pretrain; pretraining; pre train; pre training; pretrained"
        " from scratch; from scratch; trainieren; trainiere; entrainer; entrenar; entrenamiento;"
        " continued pretraining; continual pretraining; fully train; full training; fully trained",
    ),
    (
        "task",
        "finetune",
        "finetune; finetuning; finetuned; finetunes; fine tune; fine tuning; fine tuned; fine tunes;"
        " tune; tuning; sft; instruction tuning; instruction tune; feinabstimmen; feintuning;"
        " feinabstimmung; post training; adapters; alignment; rlhf; full fine tuning; full fine tune; full finetune; full finetuning; fully fine tune; fully"
        " finetune; fully fine tuned; fully fine tuning; fully tune; full tune; full sft; full parameter"
        " fine tuning; q lora",
    ),
    (
        "task",
        "development",
        "development; dev box; dev and test; dev test; development and testing; prototyping;"
        " prototype; experimentation; experimenting; notebook; notebooks; jupyter; dev environment;"
        " dev machine; sandbox; workstation; entwicklung",
    ),
)

CJK_WORDS: Final[tuple[Row, ...]] = (
    ("task", "inference", "推理; 推論; 部署; 服务; 配信"),
    ("task", "finetune", "微调; 微調; ファインチューニング; 微調整; 精调; 파인튜닝; 미세조정"),
    ("task", "train", "训练; 訓練; 学習; 预训练; トレーニング; 학습"),
    ("task", "development", "开发; 開発"),
    ("market", "spot", "竞价; スポット; 스팟"),
    ("market", "on_demand", "按需; オンデマンド"),
    ("mode", "batch", "批量; バッチ; 离线"),
    ("objective", "cost", "最便宜; 便宜; 最安; 安い; 省钱; 性价比"),
    ("region", "eu-central-1", "法兰克福; フランクフルト"),
    ("region", "ap-northeast-1", "东京; 東京"),
    ("region", "ap-northeast-3", "大阪"),
    ("region", "ap-southeast-1", "新加坡; シンガポール"),
    ("region", "ap-northeast-2", "首尔; ソウル; 서울"),
    ("region", "us-west-2", "俄勒冈; オレゴン"),
    ("region", "us-east-1", "弗吉尼亚; バージニア"),
    ("recommend", None, "どのインスタンス; どれ; 哪个实例; 什么实例; 用什么; 推荐; おすすめ; 需要什么"),
    ("filler", None, "吗; 的; 能; 和; を; で; したい; がいい; 我; 想; 可以; 用; 是; 请; 在; は; が; に; の; と"),
)

MODE_WORDS: Final[tuple[Row, ...]] = (
    (
        "mode",
        "realtime",
        "real time; realtime; interactive; online; live traffic; streaming; user facing; on live;"
        " echtzeit; synchronous",
    ),
    (
        "mode",
        "batch",
        "batch inference; batch scoring; batch job; batch jobs; batch processing; batch mode; batch;"
        " offline; overnight; nightly; async; asynchronous; bulk; batched jobs; stapelverarbeitung",
    ),
    ("mode", "edge", "edge; at the edge; edge deployment; low resource; low resources; tiny device"),
)

METHOD_WORDS: Final[tuple[Row, ...]] = (
    (
        "method",
        "full",
        "full fine tuning; full fine tune; full finetune; full finetuning; fully fine tune; fully"
        " finetune; fully fine tuned; fully fine tuning; fully train; fully tune; full tune; full"
        " training; full parameter; all the weights; all weights; all parameters; every weight;"
        " update everything; full weights; full sft; fft; full parameters; full 70b fine tune",
    ),
    ("method", "lora", "lora; loras; low rank adaptation; low rank adapters; low rank adapter; peft"),
    ("method", "qlora", "qlora; q lora; quantised lora; quantized lora; 4 bit lora; 4bit lora"),
    ("method", "dora", "dora"),
    ("method", "dpo", "dpo; direct preference optimization; direct preference optimisation"),
    ("method", "grpo", "grpo"),
    ("method", "ppo", "ppo"),
    ("method", "orpo", "orpo"),
    ("method", "kto", "kto"),
)

QUANT_WORDS: Final[tuple[Row, ...]] = (
    ("quant", "bf16", "bf16; bfloat16; bfloat 16; brain float"),
    ("quant", "fp16", "fp16; float16; float 16; half precision; 16 bit; 16bit; f16; w16a16"),
    ("quant", "fp32", "fp32; float32; float 32; 32 bit; 32bit; single precision; f32; dtype float"),
    ("quant", "fp8", "fp8; float8; float 8; f8; e4m3; w8a8 fp8; fp8 e4m3; 8 bit float; fp 8"),
    ("quant", "int8", "int8; 8 bit; 8bit; w8a8; w8a16; q8; q8 0; int 8; eight bit; 8bits"),
    (
        "quant",
        "int4",
        "int4; 4 bit; 4bit; nf4; w4a16; q4; q4 0; q4 k m; q4 k s; int 4; four bit; 4bits; bnb 4bit;"
        " bitsandbytes; 4 bits",
    ),
    ("quant", "awq", "awq; awq int4; int4 awq; 4 bit awq; awq 4 bit; awq 4bit; awq marlin"),
    ("quant", "gptq", "gptq; gptq int4; int4 gptq; 4 bit gptq; gptq 4 bit; gptq 4bit; gptq marlin"),
    ("quant", "mxfp4", "mxfp4; mx fp4"),
    ("quant", "nvfp4", "nvfp4; nv fp4; fp4"),
    (
        "no_quant",
        None,
        "unquantised; unquantized; full precision; no quantisation; no quantization; without"
        " quantisation; without quantization; without quantising; without quantizing; without any"
        " quantisation; without any quantization; not quantised; not quantized; native precision;"
        " native dtype; nicht quantisiert; unquantisiert",
    ),
    (
        "quantised",
        None,
        "quantised; quantized; quantise; quantize; quantising; quantizing; quantisation;"
        " quantization; quantisiert; quantisierung; 量化; 量子化",
    ),
)

OBJECTIVE_WORDS: Final[tuple[Row, ...]] = (
    (
        "objective",
        "max_savings",
        "max savings; maximum savings; as cheap as it gets; as cheap as possible; cheapest possible"
        " at any price; rock bottom; absolute cheapest; save as much as possible; maximal sparen;"
        " biggest savings; greatest savings",
    ),
    (
        "objective",
        "cost",
        "cheapest; cheap; cheaper; cheapest possible; lowest cost; lowest price; low cost; least"
        " expensive; inexpensive; cost; cost effective; cost efficient; cost optimised; cost"
        " optimized; cost sensitive; minimise cost; minimize cost; minimal cost; minimum cost;"
        " save money; saving money; overpaying; without overpaying; paying too much; on a budget;"
        " budget friendly; economical; affordable; tight budget; cost first; cost matters; price"
        " matters; billig; billigste; billigsten; günstig; günstigste; günstigsten; am günstigsten;"
        " le moins cher; más barato; cost matters most; low budget",
    ),
    (
        "objective",
        "performance",
        "performance; best performance; fastest; as fast as possible; as quickly as possible; max"
        " performance; maximum performance; peak performance; high performance; highest performance;"
        " speed matters most; speed matters; speed first; performance first; quickest; speed is"
        " everything; money is no object; no budget limit; cost is no object; price is no object;"
        " cost does not matter; am schnellsten; schnellste; fast as possible; raw speed",
    ),
    (
        "objective",
        "latency",
        "low latency; lowest latency; minimum latency; minimal latency; latency sensitive; latency"
        " critical; latency matters; best latency; snappy; most responsive; lowest ttft; latency"
        " first; minimise latency; minimize latency; shortest latency; latency matters most",
    ),
    (
        "objective",
        "throughput",
        "max throughput; maximum throughput; highest throughput; best throughput; high throughput;"
        " maximise throughput; maximize throughput; most throughput; high volume; throughput first;"
        " throughput; throughput matters; throughput matters most; throughput oriented; most tokens",
    ),
    (
        "objective",
        "balanced",
        "balanced; balance; balanced price and performance; balance of price and performance;"
        " middle ground; good compromise; reasonable price and speed; ausgewogen",
    ),
    (
        "objective",
        "value",
        "value; best value; price performance; best price performance; price performance ratio; bang"
        " for the buck; bang for buck; value for money; best bang; most for the money; perf per"
        " dollar; performance per dollar; tokens per dollar; cost per token; cheapest per token;"
        " lowest cost per token; dollars per million tokens; preis leistung",
    ),
    (
        "objective",
        "energy",
        "energy; energy efficient; most energy efficient; energy efficiency; greenest; lowest carbon;"
        " lowest power; power efficient; perf per watt; performance per watt; sustainable;"
        " sustainability; carbon footprint; least power; low power; energieeffizient",
    ),
    ("throughput", "standard", "normal traffic; standard throughput; moderate traffic; light traffic"),
    (
        "throughput",
        "high",
        "high throughput; high volume; high traffic; heavy traffic; at scale; large volume; busy",
    ),
    (
        "throughput",
        "ultra_high",
        "ultra high throughput; ultra high; extreme throughput; massive traffic; massive scale;"
        " planet scale; hyperscale",
    ),
    ("network", "standard", "standard network; standard networking; normal networking"),
    (
        "network",
        "ultra_high",
        "ultra high network; ultra high networking; ultra fast networking; ultra high bandwidth"
        " network; fastest network; fastest networking; infiniband class; efav3",
    ),
)

MARKET_WORDS: Final[tuple[Row, ...]] = (
    ("market", "on_demand", "on demand; ondemand; od; pay as you go; payg; list price; abruf"),
    ("market", "spot", "spot; spot instance; spot instances; on spot; preemptible; interruptible"),
    (
        "market",
        "reserved",
        "reserved; reserved instance; reserved instances; ri; ris; reservation; reserviert; convertible",
    ),
    (
        "market",
        "savings_plan",
        "savings plan; savings plans; saving plan; savingsplan; compute savings plan; compute savings"
        " plans; ec2 savings plan; instance savings plan; sp commitment",
    ),
    (
        "market",
        "capacity_block",
        "capacity block; capacity blocks; capacity block for ml; ml capacity block; capacityblock",
    ),
)

FRAMEWORK_WORDS: Final[tuple[Row, ...]] = (
    ("framework", "vllm", "vllm; v llm"),
    ("framework", "tgi", "tgi; text generation inference"),
    ("framework", "sglang", "sglang; sg lang"),
    ("framework", "tensorrt-llm", "tensorrt llm; trtllm; trt llm; tensorrtllm; tensorrt; trt"),
    ("framework", "llama.cpp", "llama cpp; llamacpp; gguf; ggml; llama server"),
    ("framework", "ollama", "ollama"),
    (
        "framework",
        "neuronx",
        "neuronx; neuronx distributed; transformers neuronx; nxd; nxdi; neuron sdk; neuronx"
        " distributed inference; torch neuronx",
    ),
    ("framework", "optimum-neuron", "optimum neuron; hf neuron; hf neuron stack; huggingface neuron"),
    ("framework", "triton", "triton; triton inference server; nvidia triton"),
    ("framework", "torchserve", "torchserve; torch serve"),
    ("framework", "tei", "tei; text embeddings inference"),
    ("framework", "onnx", "onnx; onnxruntime; onnx runtime; ort"),
    ("framework", "openvino", "openvino"),
    ("framework", "ray-serve", "ray serve; rayserve"),
    ("framework", "lmdeploy", "lmdeploy"),
    ("framework", "deepspeed", "deepspeed; deepspeed zero; deep speed"),
    ("framework", "megatron", "megatron; megatron lm; nemo; nemo megatron"),
    ("framework", "pytorch", "pytorch; torch; pytorch lightning; torchrun; fsdp; torchtitan"),
    ("framework", "jax", "jax; maxtext; flax"),
    ("framework", "tensorflow", "tensorflow; keras"),
    ("framework", "axolotl", "axolotl"),
    ("framework", "unsloth", "unsloth"),
    ("framework", "transformers", "transformers; huggingface; hugging face; hf transformers; trl"),
    ("needs_cuda", True, "cuda; needs cuda; need cuda; requires cuda; cuda only; custom cuda kernels;"
     " cuda kernels; custom kernels; flash attention; flashattention"),
)

# What groups of types are called; the value is a word of `engine.candidates` or a family prefix.
GROUP_WORDS: Final[tuple[Row, ...]] = (
    ("group", "nvidia", "nvidia; nvidia gpu; nvidia gpus; geforce"),
    ("group", "gpu", "gpu only; gpus only; only gpu; only gpus; gpu instances; gpu instance; gpu"
     " family"),
    ("group", "neuron", "neuron; aws silicon; aws chips; aws chip; custom silicon; aws neuron;"
     " trainium or inferentia; inferentia or trainium; annapurna"),
    ("group", "trainium", "trainium; trainium chips; trn"),
    ("group", "inferentia", "inferentia; inf"),
    ("group", "trn1", "trainium1; trainium 1"),
    ("group", "trn2", "trainium2; trainium 2"),
    ("group", "trn3", "trainium3; trainium 3"),
    ("group", "inf1", "inferentia1; inferentia 1"),
    ("group", "inf2", "inferentia2; inferentia 2"),
    ("group", "amd", "amd; radeon; amd gpu; amd gpus"),
    ("group", "habana", "habana; gaudi"),
    ("group", "cpu", "cpu; cpus; cpu only; only cpu; cpu family; cpu instance; cpu instances; no gpu;"
     " without gpu; without a gpu; without gpus; no gpus; gpu free; gpuless; cpu inference"),
    ("group", "graviton", "graviton; graviton3; graviton4; graviton2"),
    ("group", "arm", "arm; arm64; aarch64"),
    ("group", "x86", "x86; x86 64; amd64"),
)

SIGNAL_WORDS: Final[tuple[Row, ...]] = (
    (
        "recommend",
        None,
        "which instance; what instance; which instances; what instances; which box; which machine;"
        " which gpu; which gpus; what gpu; which ec2; what ec2; recommend; recommendation;"
        " recommended; suggest; suggestion; advise; what do i need; what should i use; what would"
        " you use; best instance; right instance; which one; size; sizing; need a server; pick;"
        " welche instanz; welchen server; welche gpu; brauche ich; quelle instance; qué instancia;"
        " smallest; biggest; is the best; the best; what can i run; can i run; instance family;"
        " which cpu; tree recommendation; ec2 spec; what can run; flexible workload; mixed jobs;"
        " what runs; minimum number; cheapest number",
    ),
    ("follow", None, "same but; same for; same with; again; what about; how about; what if; make it;"
     " and if; switch to; change to; change it to; i meant; i mean; instead; same thing; same again;"
     " still; rather; try; now; go with; keep; and with; and for; and on; and in; once more; also"),
    ("first_token", None, "the first token; first token"),
    ("double", None, "double; twice; 2x; doubled; doubling"),
    ("triple", None, "triple; three times"),
    ("halve", None, "halve; half; halved"),
    ("how_much", None, "how much; wie viel; combien; cuánto"),
    ("all_sizes", None, "all sizes; every size; each size; all variants; whole family; every variant"),
    ("detail:architecture", "moe", "moe; mixture of experts; sparse mixture"),
    ("detail:architecture", "dense", "dense"),
    ("detail:architecture", "transformer", "transformer; transformers based"),
    ("detail:architecture", "mixed", "mixed models; mix of; mixed model; mixed jobs"),
    ("detail:model_kind", "classical", "xgboost; lightgbm; catboost; sklearn; scikit learn; random"
     " forest; decision tree; gradient boosting; linear regression; logistic regression; tabular;"
     " classical ml"),
    ("detail:model_kind", "vision", "image classification; object detection; computer vision; cnn;"
     " yolo; segmentation; vision"),
    ("detail:model_kind", "embedding", "embedding; embeddings; embedding model; reranker; reranking;"
     " vector search; sentence transformers"),
    ("detail:model_kind", "speech", "speech to text; asr; speech recognition"),
    ("detail:model_kind", "diffusion", "image generation; text to image; diffusion"),
    ("detail:model_kind", "classifier", "sentiment; sentiment model; text classification; classifier;"
     " ner"),
    ("detail:account", "new", "new account; fresh account; fresh aws account; new aws account; brand"
     " new account"),
    ("detail:os", "AmazonLinux2", "amazon linux 2; al2"),
    ("detail:os", "AmazonLinux2023", "amazon linux 2023; al2023"),
    ("detail:os", "Bottlerocket", "bottlerocket"),
    ("detail:offload", "cpu", "cpu offload; offload to cpu; offloaded; offloading; offload; out of"
     " system memory; from system memory"),
    ("detail:sharding", "zero2", "zero2; zero 2"),
    ("detail:sharding", "zero3", "zero3; zero 3"),
)

INTENT_WORDS: Final[tuple[Row, ...]] = (
    ("intent:help", None, "help; usage; what can you do; how do i use this; commands; hilfe"),
    ("intent:reset", None, "reset; start over; start again; new conversation; start fresh; clear"
     " context; begin again; forget it all"),
    ("intent:manifest", "eksctl", "yaml; eksctl; eksctl yaml; eksctl file; manifest; cluster config;"
     " snippet; node config; eksctl config; cluster yaml; config file; eks config; deploy it;"
     " cluster file; node group config; file eksctl accepts; cluster definition; the file"),
    ("intent:manifest", "karpenter", "karpenter; nodepool; node pool; ec2nodeclass; karpenter yaml"),
    ("intent:manifest", "kubernetes", "kubernetes yaml; k8s yaml; kubernetes manifest; k8s manifest;"
     " kubernetes deployment; deployment yaml; deployment manifest; service yaml; job yaml; workload"
     " yaml; pod spec; pod yaml; kubectl; helm"),
    ("intent:price", None, "price; prices; price of; pricing; hourly rate; hourly rates; rates; rate;"
     " what does it cost; how much does it cost; how much would it cost; how much is; costs; dollars an hour; per hour price;"
     " kosten; preis; do i pay; cost me; list prices; on demand rates; preise; what would it cost"),
    ("intent:alert", None, "alert; alert me; notify; notify me; tell me if; tell me when; let me know"
     " if; let me know when; watch; watch the price; subscribe; ping me; price drops; price alert;"
     " warn me if; warn me when; monitor; sag mir wenn; keep an eye on"),
    ("intent:migrate", None, "migrate; migrating; migration; move from; moving from; moving to; move"
     " to; move off; upgrade from; upgrading from; replace my; replacement for; replacing; coming"
     " from; successor of; successor to; we use now; currently on; currently use; currently using;"
     " currently running on; switch from; switching from"),
    ("intent:compare", None, "compare; comparison; compared; versus; vs; difference between;"
     " side by side; which is better; which is cheaper; which is faster; vergleich; vergleiche;"
     " compares; better than; trade off; tradeoff"),
    ("intent:explain", None, "why; why not; explain; how come; warum; what is; still true; correct"
     " both; is that expected; is it normal; is that normal; what is different; does it matter;"
     " what would make; good idea; is it true; what limits; support; supported; supports; is"
     " allowed; allowed; rejected; speedup; insufficient capacity; keeps saying; what should i"
     " change; anything to know; pourquoi; what is listed; real fp8 arithmetic; book"),
    ("topic:quota", None, "quota; quotas; service quota; vcpu limit; limit increase"),
    ("topic:availability", None, "available; availability; insufficient capacity; can i launch;"
     " offered; wrong zone; launch; every az; can i start; will start"),
    ("topic:fit", None, "fit; fits; fitting; big enough; enough for; is enough; enough; hold; holds;"
     " plenty; oom; ooms; oomed; out of memory; passt; run on; runs on; possible; too small;"
     " cut it; be plenty; still fit; handle"),
    ("topic:kv", None, "kv; kv cache; kvcache; cache; tokens of cache; tokens of kv; key value cache;"
     " how many tokens; at once; chats at once; cache per card"),
    ("topic:memory", None, "memory; vram; gpu memory; how much memory; how much vram; accelerator"
     " memory; peak memory; ram; speicher; bytes per parameter; speicherbedarf; footprint"),
    ("topic:plan", None, "plan; tensor parallel; split; sharding; parallelism; six way; best split;"
     " across cards; pipeline parallel; nccl"),
    ("topic:latency", None, "generation speed; how fast; tokens a second; tok s; time to first token;"
     " speed; ttft; tpot"),
    ("topic:gpu", None, "which gpu and how many; what gpu is in; what gpus are in; one gpu"),
    ("topic:guide", None, "guide; guides; compute guide; gpu selection table; selection table;"
     " decision tree; our guide; the tree; wiki; the document"),
    ("topic:efa", None, "efa; working efa"),
)

ALL_ROWS: Final = (
    *TASK_WORDS,
    *MODE_WORDS,
    *METHOD_WORDS,
    *QUANT_WORDS,
    *OBJECTIVE_WORDS,
    *MARKET_WORDS,
    *FRAMEWORK_WORDS,
    *GROUP_WORDS,
    *SIGNAL_WORDS,
    *INTENT_WORDS,
)

# Models whose weights nobody can put on an instance.
HOSTED_ONLY: Final = frozenset(
    {"gpt-4", "gpt-4o", "gpt-3.5", "gpt-5", "chatgpt", "claude", "gemini", "grok"}
)
