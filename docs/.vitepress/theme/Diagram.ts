import { useData } from "vitepress";
import { defineComponent, h, onMounted, ref, watch } from "vue";

let drawn = 0;

/** A mermaid diagram; its source stands there until it is drawn, and where it cannot be. */
export const Diagram = defineComponent({
  props: { source: { type: String, required: true } },
  setup(props) {
    const { isDark } = useData();
    const source = decodeURIComponent(props.source);
    const svg = ref("");
    const draw = async () => {
      const { default: mermaid } = await import("mermaid");
      mermaid.initialize({
        startOnLoad: false,
        securityLevel: "strict",
        theme: isDark.value ? "dark" : "neutral",
      });
      svg.value = (await mermaid.render(`diagram-${drawn++}`, source)).svg;
    };
    onMounted(draw);
    watch(isDark, draw);
    return () =>
      svg.value === "" ? h("pre", source) : h("div", { class: "diagram", role: "img", innerHTML: svg.value });
  },
});
