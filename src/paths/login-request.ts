import { AuthMethodError } from '../contract/index.js';
import { stringField } from '../framework/field.js';
import type { FieldValues } from '../framework/field.js';
import type { LoginRequest } from '../login/facts.js';
import { COMPUTE_NAME, GUID, RESOURCE_GROUP_NAME } from '../login/names.js';
import { parseResourceId } from '../login/resource-id.js';
import { ROLE_NAME } from './role-store.js';

const MAX_JWT_LENGTH = 16 * 1024;

/** Fields of a login (spec 4.7). */
export const LOGIN_FIELDS = {
  role: stringField({
    description: 'Role to log in against.',
    required: true,
    pattern: ROLE_NAME.pattern,
    takes: `the name of a role: ${ROLE_NAME.takes}`,
  }),
  jwt: stringField({
    description: 'Access token of the identity, from the instance metadata service.',
    required: true,
    secret: true,
    maxLength: MAX_JWT_LENGTH,
  }),
  subscription_id: stringField({ description: 'Subscription of the machine.', ...GUID }),
  resource_group_name: stringField({ description: 'Resource group of the machine.', ...RESOURCE_GROUP_NAME }),
  vm_name: stringField({ description: 'Virtual machine; ignored if vmss_name is given.', ...COMPUTE_NAME }),
  vmss_name: stringField({ description: 'Scale set.', ...COMPUTE_NAME }),
  resource_id: stringField({
    description: 'Fully qualified resource id; ignored if vm_name or vmss_name is given.',
    accepts: (text) => parseResourceId(text) !== undefined,
    takes: 'a resource id such as "/subscriptions/{guid}/resourceGroups/{group}/providers/{namespace}/{type}/{name}"',
  }),
} as const;

/** The part of a login body that says where the caller claims to come from. */
export function toLoginRequest(values: FieldValues<typeof LOGIN_FIELDS>): LoginRequest {
  const resourceId = values.resource_id ? parseResourceId(values.resource_id) : undefined;
  return {
    subscriptionId: values.subscription_id ?? '',
    resourceGroup: values.resource_group_name ?? '',
    vmName: values.vm_name ?? '',
    scaleSetName: values.vmss_name ?? '',
    ...(resourceId !== undefined && { resourceId }),
  };
}

/** What a login answers when its role does not exist. */
export function unknownRole(): AuthMethodError {
  return new AuthMethodError('unknown_role', 'role: no such role', { field: 'role' });
}
