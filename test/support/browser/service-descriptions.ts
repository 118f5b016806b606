import type { DemoDescription } from '../service/demo-process.ts';

/** Where the runner of the browser tests serves the descriptions of the services. */
export const servicesPath = '/services-under-test.json';

export interface ServiceDescriptions {
  service: DemoDescription;
  modelService: DemoDescription;
}
