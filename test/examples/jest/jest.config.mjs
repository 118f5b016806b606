export default {
  testEnvironment: 'jsdom',
  testMatch: ['**/chat.spec.js'],
  transformIgnorePatterns: ['/node_modules/(?!(voice-assistant-chat|lit|lit-html|lit-element|@lit)/)'],
};
