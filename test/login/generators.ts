import fc from 'fast-check';
import type { AttachedIdentity, Orchestration } from '../../src/contract/index.js';
import {
  APPLICATION,
  AS_WORKLOAD,
  asResource,
  asScaleSet,
  OBJECT,
  OTHER_OBJECT,
  OTHER_SUBSCRIPTION,
  scaleSet,
  site,
  SUBSCRIPTION,
  userIdentity,
  vm,
} from './support.js';
import type { Login } from './support.js';

// Few enough that they collide, alike enough to be confused.
const names = fc.constantFrom('web', 'WEB', 'web-2', 'we', 'web_x1', 'web_', 'web_x1_y2', 'wek', 'we\u212a', 'wеb');
const groups = fc.constantFrom('rg', 'RG', 'rg-evil', 'r', 'web');
const subscriptions = fc.constantFrom(SUBSCRIPTION, SUBSCRIPTION.toUpperCase(), OTHER_SUBSCRIPTION);
const objects = fc.constantFrom(OBJECT, OBJECT.toUpperCase(), OTHER_OBJECT, '');
const makers = fc.constantFrom(
  vm,
  scaleSet,
  site,
  userIdentity,
  (...place: Parameters<typeof vm>) => `${scaleSet(...place)}/virtualMachines/web`,
  (...place: Parameters<typeof vm>) => `${site(...place)}/slots/web`,
);

/** Places that are one another's, or nearly. */
const places = fc.tuple(
  fc.oneof({ weight: 3, arbitrary: fc.constant('web') }, names),
  fc.oneof({ weight: 3, arbitrary: fc.constant('rg') }, groups),
  fc.oneof({ weight: 3, arbitrary: fc.constant(SUBSCRIPTION) }, subscriptions),
);

/** Resource ids of every kind, and what is none. */
export const ids = fc.oneof(
  { weight: 9, arbitrary: fc.tuple(makers, places).map(([make, place]) => make(...place)) },
  fc.string({ unit: 'binary', maxLength: 20 }),
);

/** A login of one of the kinds that the rules tell apart. */
export interface NamedLogin extends Login {
  readonly kind: 'virtual machine' | 'scale set' | 'resource' | 'workload';
  readonly claims: NonNullable<Login['claims']>;
  readonly request: NonNullable<Login['request']>;
  /** What the caller names, as an id; of a workload, an identity in the group that it names. */
  readonly named: string;
}

/** What is named, of every kind, with the request fields for it. */
const requests = fc
  .tuple(places, fc.constantFrom('virtual machine', 'scale set', 'resource', 'workload'), makers)
  .map(([place, kind, make]): Pick<NamedLogin, 'kind' | 'request' | 'named'> => {
    const [name, resourceGroup, subscriptionId] = place;
    const where = { resourceGroup, subscriptionId };
    switch (kind) {
      case 'virtual machine':
        return { kind, named: vm(...place), request: { ...where, vmName: name } };
      case 'scale set':
        return { kind, named: scaleSet(...place), request: { ...where, ...asScaleSet(name) } };
      case 'resource':
        return { kind, named: make(...place), request: { ...where, ...asResource(make(...place)) } };
      case 'workload':
        return { kind, named: userIdentity(...place), request: { ...where, ...AS_WORKLOAD } };
    }
  });

/** A proof of what is named, of a machine of it, or of anything. */
const proofs = (named: string): fc.Arbitrary<string | undefined> =>
  fc.oneof(
    fc.constant(undefined),
    fc.constant(named),
    fc.constantFrom('_x1', '_x1_y2', '_', '2_x1').map((suffix) => `${named}${suffix}`.replace('ScaleSets', 's')),
    ids,
  );

const attached: fc.Arbitrary<AttachedIdentity> = fc.record(
  { id: fc.oneof(fc.constant(userIdentity('shared')), ids), principalId: objects },
  { requiredKeys: ['id'] },
);

/** Logins of every kind, in which everything that decides may be right, nearly right or missing. */
export const logins: fc.Arbitrary<NamedLogin> = requests.chain((request) =>
  fc
    .record({
      objectId: objects,
      resourceId: proofs(request.named),
      managedIdentityId: fc.oneof(fc.constant(userIdentity('shared')), proofs(request.named)),
      // Most clouds answer for what they were asked.
      confirmedId: fc.oneof({ weight: 4, arbitrary: fc.constant(request.named) }, fc.option(ids, { nil: undefined })),
      systemPrincipalId: fc.option(objects, { nil: undefined }),
      userAssigned: fc.array(attached, { maxLength: 2 }),
      orchestration: fc.constantFrom<(Orchestration | undefined)[]>('uniform', 'flexible', undefined),
    })
    .map(
      ({ objectId, resourceId, managedIdentityId, confirmedId, systemPrincipalId, userAssigned, orchestration }) => ({
        ...request,
        role: { bound_locations: ['westeurope'] },
        claims: {
          objectId,
          applicationId: APPLICATION,
          ...(resourceId !== undefined && { resourceId }),
          ...(managedIdentityId !== undefined && { managedIdentityId }),
        },
        ...(orchestration !== undefined && { orchestration }),
        ...(confirmedId !== undefined && {
          confirmed: {
            id: confirmedId,
            location: 'westeurope',
            userAssigned,
            ...(systemPrincipalId !== undefined && { systemPrincipalId }),
          },
        }),
      }),
    ),
);
