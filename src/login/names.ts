/** The cloud's naming rules, as far as they keep a name one harmless path segment. */
export interface NameRule {
  readonly pattern: RegExp;
  /** Completes the sentence "takes ...". */
  readonly takes: string;
}

/** A subscription id, tenant id or object id. */
export const GUID: NameRule = {
  pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  takes: 'a GUID such as "11111111-2222-3333-4444-555555555555"',
};

/** Letters of any script, parentheses too; no blank, no slash; the last character is no period. */
export const RESOURCE_GROUP_NAME: NameRule = {
  pattern: /^(?!.*\.\.)[\p{L}\p{N}_().-]{0,89}[\p{L}\p{N}_()-]$/u,
  takes: 'a resource group name: at most 90 letters, digits, "_", "-", ".", "(" and ")", not ending in "."',
};

/** Virtual machines and scale sets; may begin with a digit. */
export const COMPUTE_NAME: NameRule = {
  pattern: /^(?!.*\.\.)[\p{L}\p{N}](?:[\p{L}\p{N}_.-]{0,78}[\p{L}\p{N}_])?$/u,
  takes: 'a compute name: at most 80 letters, digits, "_", "-" and ".", beginning with a letter or digit',
};
