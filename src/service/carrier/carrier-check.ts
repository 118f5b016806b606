/** A step of `carrier check`. */
export interface CarrierCheckStep {
  name: string;
  isOk: boolean;
  /** The result, or the problem with its remedy. */
  text: string;
}

/** The steps of `carrier check`, in order. */
export class CarrierCheck {
  readonly steps: CarrierCheckStep[] = [];

  /**
   * Runs a step.
   *
   * @param action returns the result. The message of its error says what to do.
   * @returns whether the step succeeded.
   */
  async run(name: string, action: () => Promise<string>): Promise<boolean> {
    try {
      this.steps.push({ name, isOk: true, text: await action() });
      return true;
    } catch (error) {
      this.steps.push({ name, isOk: false, text: (error as Error).message });
      return false;
    }
  }
}
