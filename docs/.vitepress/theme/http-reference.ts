import { useData } from 'vitepress';
import { defineComponent, h, onMounted, ref } from 'vue';

/** The service's OpenAPI document in a viewer that also sends requests. */
export const HttpReference = defineComponent({
  setup() {
    const { isDark } = useData();
    const isLoaded = ref(false);
    onMounted(async () => {
      await import('rapidoc');
      isLoaded.value = true;
    });
    return () => {
      if (!isLoaded.value) return h('p', 'Loading the reference…');
      return h('rapi-doc', {
        'spec-url': '/api/openapi.json',
        'server-url': location.origin,
        theme: isDark.value ? 'dark' : 'light',
        'bg-color': isDark.value ? '#1b1b1f' : '#ffffff',
        'primary-color': isDark.value ? '#a8b1ff' : '#3451b2',
        'render-style': 'view',
        'schema-style': 'table',
        'load-fonts': 'false',
        'regular-font': 'system-ui, sans-serif',
        'mono-font': 'ui-monospace, monospace',
        'font-size': 'large',
        'show-header': 'false',
        'show-info': 'false',
        'allow-server-selection': 'false',
        'allow-spec-file-download': 'false',
        'persist-auth': 'false',
        'use-path-in-nav-bar': 'true',
      });
    };
  },
});
