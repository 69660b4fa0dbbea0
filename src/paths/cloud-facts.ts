import { AuthMethodError } from '../contract/index.js';
import type {
  AttachedIdentity,
  CloudConfiguration,
  CloudLookups,
  ConfirmedResource,
  ConfirmedScaleSet,
} from '../contract/index.js';
import { identitiesToResolve, identityIsAttached, workloadIdentity } from '../login/cloud-rules.js';
import type { CloudFacts, TokenFacts } from '../login/facts.js';
import { workloadPlaces } from '../login/named-resource.js';
import { hasResourceConstraints, needsDirectory } from '../login/principal-rules.js';
import { isOfType, ownName, parseResourceId, USER_ASSIGNED_IDENTITY } from '../login/resource-id.js';

/** Asks the cloud what the rules need to know beyond the token. What does not depend on each other is asked side by side. */
export class CloudInquiry {
  constructor(
    readonly lookups: CloudLookups,
    readonly configuration: CloudConfiguration,
    readonly signal: AbortSignal,
  ) {}

  /** Whether the rules need the cloud at all. */
  static isNeeded(facts: TokenFacts): boolean {
    return hasResourceConstraints(facts.role) || needsDirectory(facts);
  }

  /** The facts with what the cloud says. Rejects as the lookups do when it does not say enough to decide. */
  async facts(facts: TokenFacts): Promise<CloudFacts> {
    if (!needsDirectory(facts)) return this.#resourceFacts(facts);
    const [confirmedGroups, known] = await Promise.all([this.#groups(facts), this.#resourceFacts(facts)]);
    return { confirmedGroups, ...known };
  }

  async #resourceFacts(facts: TokenFacts): Promise<CloudFacts> {
    const confirmed = hasResourceConstraints(facts.role) ? await this.#resource(facts) : undefined;
    // Additions stand before what is copied: behind it, they would cost each login ten times as much.
    if (confirmed === undefined) return { confirmed, attached: [], ...facts };
    const known = { confirmed, attached: confirmed.userAssigned, ...facts };
    const missing = identitiesToResolve(confirmed, facts);
    const complete = missing.length === 0 ? known : await this.#withIdentities(known, missing);
    return isScaleSet(confirmed) ? { orchestration: confirmed.orchestration, ...complete } : complete;
  }

  #groups({ claims, role }: TokenFacts): Promise<readonly string[]> {
    return this.lookups.memberGroups(claims.objectId, [...role.groupIds], this.configuration, this.signal);
  }

  #resource(facts: TokenFacts): Promise<ConfirmedResource | undefined> {
    const { named } = facts;
    if (named.kind === 'workload') return this.#workload(facts);
    const { subscriptionId, resourceGroup } = named.id;
    const reference = { subscriptionId, resourceGroup, name: ownName(named.id) };
    switch (named.kind) {
      case 'virtual machine':
        return this.lookups.virtualMachine(reference, this.configuration, this.signal);
      case 'scale set':
        return this.lookups.scaleSet(reference, this.configuration, this.signal);
      case 'resource':
        return this.lookups.resource(named.id, this.configuration, this.signal);
    }
  }

  /** Searches the resource groups. One that cannot be read does not fail the others; an outage counts when none has the identity. */
  async #workload({ role, request, claims }: TokenFacts): Promise<ConfirmedResource | undefined> {
    const lists = await Promise.allSettled(
      workloadPlaces(role, request).map((place) =>
        this.lookups.userAssignedIdentities(place, this.configuration, this.signal),
      ),
    );
    const identities = lists.flatMap((list) => (list.status === 'fulfilled' ? (list.value ?? []) : []));
    const found = workloadIdentity(identities, claims);
    if (found === undefined) {
      throwOutage(lists);
      throwWhenAllFailed(lists);
    }
    return found;
  }

  /** Looks up identities that came without their object ids. One that cannot be read does not fail the others. */
  async #withIdentities(facts: CloudFacts, missing: readonly AttachedIdentity[]): Promise<CloudFacts> {
    const resolved = await Promise.allSettled(missing.map((identity) => this.#resolve(identity)));
    const found = resolved.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const complete = { ...facts, attached: [...facts.attached, ...found] };
    if (identityIsAttached(complete) !== 'passed') throwOutage(resolved);
    return complete;
  }

  async #resolve({ id }: AttachedIdentity): Promise<AttachedIdentity> {
    const identity = parseResourceId(id);
    if (identity === undefined || !isOfType(identity, USER_ASSIGNED_IDENTITY)) return { id };
    const { subscriptionId, resourceGroup } = identity;
    const reference = { subscriptionId, resourceGroup, name: ownName(identity) };
    const principalId = await this.lookups.userAssignedIdentity(reference, this.configuration, this.signal);
    return principalId === undefined ? { id } : { id, principalId };
  }
}

/** An outage is no denial: when nothing else decided, it is passed on. What the cloud merely keeps from us is not. */
function throwOutage(results: readonly PromiseSettledResult<unknown>[]): void {
  for (const result of results) {
    if (result.status === 'rejected' && isOutage(result.reason)) throw result.reason;
  }
}

/** Where nothing could be read, nothing was denied: the method has no credentials, or none that the cloud takes. */
function throwWhenAllFailed(results: readonly PromiseSettledResult<unknown>[]): void {
  const [first] = results;
  if (first?.status === 'rejected' && results.every(({ status }) => status === 'rejected')) throw first.reason;
}

function isOutage(error: unknown): boolean {
  return !(error instanceof AuthMethodError) || error.code === 'provider_unavailable';
}

function isScaleSet(confirmed: ConfirmedResource): confirmed is ConfirmedScaleSet {
  return 'orchestration' in confirmed;
}
