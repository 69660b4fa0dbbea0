import type { AttachedIdentity, ConfirmedResource, IdentityClaims, Orchestration } from '../../src/contract/index.js';
import {
  APPLICATION,
  CLAIMS,
  mountWithRole,
  OBJECT,
  scaleSet,
  site,
  userIdentity,
  vm,
  WORKLOAD_LOGIN,
} from '../paths/mount.js';
import type { Mount } from '../paths/mount.js';

/** A login that is granted, with everything that decides it as text, so that any of it can be changed. */
export interface Legitimate {
  readonly kind: string;
  readonly body: Readonly<Record<string, string>>;
  /** What the token proves. Absent for a workload, which may run anywhere. */
  readonly proof?: string;
  /** What the cloud answers, whatever it is asked. */
  readonly confirmed: string;
  readonly orchestration?: Orchestration;
}

// Names with the letters that have lookalikes.
const GROUP = 'kiosk';
const NAME = 'task';
const PLACE = { ...WORKLOAD_LOGIN, resource_group_name: GROUP };
const SLOT = `${site(NAME, GROUP)}/slots/book`;

/** One login of each kind. All are of one user-assigned identity, which any resource could share. */
export const LEGITIMATE: readonly Legitimate[] = [
  {
    kind: 'virtual machine',
    body: { ...PLACE, vm_name: NAME },
    proof: vm(NAME, GROUP),
    confirmed: vm(NAME, GROUP),
  },
  {
    kind: 'uniform scale set',
    body: { ...PLACE, vmss_name: NAME },
    proof: `${scaleSet(NAME, GROUP)}/virtualMachines/0`,
    confirmed: scaleSet(NAME, GROUP),
    orchestration: 'uniform',
  },
  {
    kind: 'flexible scale set',
    body: { ...PLACE, vmss_name: NAME },
    proof: vm(`${NAME}_x1`, GROUP),
    confirmed: scaleSet(NAME, GROUP),
    orchestration: 'flexible',
  },
  {
    kind: 'resource',
    body: { ...PLACE, resource_id: site(NAME, GROUP) },
    proof: site(NAME, GROUP),
    confirmed: site(NAME, GROUP),
  },
  { kind: 'nested resource', body: { ...PLACE, resource_id: SLOT }, proof: SLOT, confirmed: SLOT },
  { kind: 'workload', body: PLACE, confirmed: userIdentity('own', GROUP) },
];

/** What else can be spelled in another case. */
export interface Spelling {
  readonly objectId: string;
  readonly principalId: string;
  readonly applicationId: string;
  readonly clientId: string;
  readonly location: string;
}

const PLAIN: Spelling = {
  objectId: OBJECT,
  principalId: OBJECT,
  applicationId: APPLICATION,
  clientId: APPLICATION,
  location: 'westeurope',
};

/** A mount whose role `dev` binds nothing but a location: the rest is for the proof and the cloud to say. */
export function mountForAnyLogin(locations: readonly string[] = ['westeurope']): Promise<Mount> {
  return mountWithRole({ bound_locations: locations });
}

/** Logs in; `granted` or the code of the refusal. */
export async function attempt(
  mount: Mount,
  { body, proof, confirmed: id, orchestration }: Legitimate,
  claim: 'resourceId' | 'managedIdentityId' = 'resourceId',
  spelling: Spelling = PLAIN,
): Promise<string> {
  const { objectId, principalId, applicationId, clientId, location } = spelling;
  const claims: IdentityClaims = { ...CLAIMS, objectId, applicationId };
  mount.validator.answer = proof === undefined ? claims : { ...claims, [claim]: proof };
  const userAssigned: AttachedIdentity[] = [{ id: userIdentity('shared'), principalId }];
  const confirmed: ConfirmedResource = { id, location, userAssigned };
  mount.lookups.machine = confirmed;
  mount.lookups.resourceAnswer = confirmed;
  mount.lookups.scaleSetAnswer = { ...confirmed, orchestration: orchestration ?? 'uniform' };
  mount.lookups.userAssignedIdentities = () => Promise.resolve([{ id, location, clientId, principalId }]);
  try {
    await mount.login(body);
    return 'granted';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}
