import type { AttackGroup } from './attack.js';
import { EMPTY_PRINCIPALS, SHARED_IDENTITIES, WORKLOADS } from './borrowed-identities.js';
import { CACHES } from './caches.js';
import { GROUPS_OF_OTHERS, ODD_CLAIMS } from './claims.js';
import { FLOODS } from './floods.js';
import { LOOK_ALIKES, NAMESAKES } from './look-alikes.js';
import { UNVERIFIED_METADATA } from './metadata.js';
import { DIVIDED_PROOF, NAMES_AS_PATHS, NESTED_NAMES, RESOURCE_ID_ELSEWHERE } from './names.js';
import { PROTOTYPES } from './prototypes.js';
import { REQUESTS } from './requests.js';
import { EMPTYING_UPDATES, OPEN_ROLES } from './roles.js';
import { FORGED_TOKENS } from './tokens.js';

/** Every attack that must be refused, in the order of their ids. */
export const ATTACKS: readonly AttackGroup[] = [
  SHARED_IDENTITIES,
  NESTED_NAMES,
  DIVIDED_PROOF,
  RESOURCE_ID_ELSEWHERE,
  NAMES_AS_PATHS,
  WORKLOADS,
  EMPTY_PRINCIPALS,
  OPEN_ROLES,
  UNVERIFIED_METADATA,
  FORGED_TOKENS,
  FLOODS,
  EMPTYING_UPDATES,
  CACHES,
  PROTOTYPES,
  LOOK_ALIKES,
  NAMESAKES,
  REQUESTS,
  ODD_CLAIMS,
  GROUPS_OF_OTHERS,
];
