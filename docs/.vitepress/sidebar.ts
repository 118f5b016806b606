import type { DefaultTheme } from 'vitepress';

const page = (text: string, path: string) => ({ text, link: `/${path}` });
const chapter = (text: string, ...items: DefaultTheme.SidebarItem[]): DefaultTheme.SidebarItem => ({
  text,
  items,
});

/** Every page of the documentation, in reading order. */
export const sidebar: DefaultTheme.SidebarItem[] = [
  chapter('Start', page('Overview', ''), page('Your first assistant', 'first-assistant')),
  chapter(
    'Embed',
    page('HTML', 'embed/html'),
    page('React', 'embed/react'),
    page('Preact', 'embed/preact'),
    page('Next.js', 'embed/next'),
    page('Vue', 'embed/vue'),
    page('Nuxt', 'embed/nuxt'),
    page('SvelteKit', 'embed/sveltekit'),
    page('Angular', 'embed/angular'),
    page('Solid', 'embed/solid'),
    page('Astro', 'embed/astro'),
    page('Bundlers and CDNs', 'embed/bundlers'),
    page('Testing', 'embed/testing'),
    page('Google Tag Manager', 'embed/google-tag-manager'),
    page('WordPress', 'embed/wordpress'),
    page('Shopify', 'embed/shopify'),
    page('Turbo and page swaps', 'embed/turbo'),
  ),
  chapter('The element', page('Element reference', 'element'), page('Theming', 'theming')),
  chapter(
    'Recipes',
    page('Consent and forms', 'recipes/consent'),
    page('Signed-in users', 'recipes/signed-in-users'),
    page('Single-page apps', 'recipes/single-page-apps'),
    page('CSP and Trusted Types', 'recipes/csp'),
    page('Human handoff', 'recipes/handoff'),
    page('Page tools', 'recipes/page-tools'),
    page('Analytics', 'recipes/analytics'),
  ),
  chapter(
    'The service',
    page('Self-hosting', 'self-hosting'),
    page('Settings', 'settings'),
    page('Scaling', 'scaling'),
    page('Monitoring', 'monitoring'),
    page('Models and knowledge', 'models-and-knowledge'),
    page('Live voice', 'live-voice'),
    page('Network of live voice', 'live-voice-network'),
    page('Calls and campaigns', 'calls'),
    page('Inbound calls, numbers and limits', 'inbound-calls'),
    page('Calls with Twilio', 'twilio'),
    page('Calls with Asterisk', 'asterisk'),
  ),
  chapter(
    'Interfaces',
    page('Client', 'client'),
    page('HTTP interface', 'http'),
    page('HTTP operations', 'http-operations'),
    page('HTTP reference: try it', 'http-reference'),
    page('Webhooks', 'webhooks'),
    page('Errors', 'errors'),
  ),
  chapter(
    'Trust',
    page('Privacy', 'privacy'),
    page('Accessibility', 'accessibility'),
    page('Threat model', 'threat-model'),
    page('Faults', 'faults'),
  ),
  chapter('Background', page('Architecture', 'architecture'), page('Decisions', 'decisions')),
];
