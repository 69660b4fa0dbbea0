// What a proof is worth, told without the code under test.

/** Whether two names differ in case alone. */
export function equalButForCase(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase() && left.toUpperCase() === right.toUpperCase();
}

/** Whether two ids are the same in every segment, but for case. */
export function sameSegments(left: string, right: string): boolean {
  const [segments, others] = [left.split('/'), right.split('/')];
  return (
    segments.length === others.length && segments.every((segment, index) => equalButForCase(segment, others[index]!))
  );
}

/** Whether a proof is of the scale set, of an instance below it, or of a machine of its own: `<name>_<letters and digits>`. */
export function isOfScaleSet(proof: string, scaleSet: string, orchestration: string | undefined): boolean {
  const below = /^(.*)\/virtualMachines\/[^/]+$/i.exec(proof)?.[1];
  if (sameSegments(proof, scaleSet) || (below !== undefined && sameSegments(below, scaleSet))) return true;
  const owner = /^(.*)_[A-Za-z0-9]+$/.exec(proof)?.[1]?.replace(/virtualMachines/i, 'virtualMachineScaleSets');
  return orchestration === 'flexible' && owner !== undefined && sameSegments(owner, scaleSet);
}
