import type { DemoDescription, Shows } from '../service/demo-process.ts';
import { servicesPath } from './service-descriptions.ts';
import type { ServiceDescriptions } from './service-descriptions.ts';

/*
 * The services of the browser tests: real ones in separate processes, seeded like the demo, with the
 * demo's faults below `/faults/<kind>`. All engines and files share them, so a test must not depend on their records.
 */

/** A running service, as browser tests see it. */
export interface ServiceUnderTest extends DemoDescription {
  /** The UUID of the seeded assistant that demonstrates a feature. */
  assistantThatShows(shows: Shows): string;
}

const descriptions = (await (await fetch(servicesPath)).json()) as ServiceDescriptions;

/** Without a language model: answers come from the knowledge base. */
export const service = describe(descriptions.service);

/** With a language model that a test scripts: see `scriptAnswer`. */
export const modelService = describe(descriptions.modelService);

function describe(description: DemoDescription): ServiceUnderTest {
  return {
    ...description,
    assistantThatShows(shows) {
      const assistant = description.assistants.find((candidate) => candidate.shows === shows);
      if (!assistant) throw new Error(`No seeded assistant shows "${shows}".`);
      return assistant.uuid;
    },
  };
}
