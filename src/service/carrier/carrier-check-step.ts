/** A step of `carrier check`. */
export interface CarrierCheckStep {
  name: string;
  isOk: boolean;
  /** The result, or the problem with its remedy. */
  text: string;
}
