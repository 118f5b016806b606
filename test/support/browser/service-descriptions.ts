import type { DemoDescription } from '../service/demo-process.ts';

/** The path at which the browser test runner serves the descriptions of the services. */
export const servicesPath = '/services-under-test.json';

export interface ServiceDescriptions {
  service: DemoDescription;
  modelService: DemoDescription;
}
