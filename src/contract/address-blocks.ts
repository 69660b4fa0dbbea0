import { BlockList, isIP, SocketAddress } from 'node:net';

/** A set of IPv4 and IPv6 address blocks. */
export interface AddressBlocks {
  /** Whether an address lies inside. An IPv4 address in IPv6 clothes (`::ffff:a.b.c.d`) counts as IPv4. */
  contains(address: string): boolean;
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Whether the text is an address or an address block in CIDR notation. IPv4-mapped IPv6 blocks are not: write them as IPv4. */
export function isAddressBlock(text: string): boolean {
  return parseBlock(text) !== undefined;
}

/** Builds the set from texts for which {@link isAddressBlock} holds. An entry that is none makes it throw. */
export function addressBlocks(entries: readonly string[]): AddressBlocks {
  // Two lists, because in one list the block ::/0 would also hold every IPv4 address.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const entry of entries) {
    const block = parseBlock(entry);
    if (block === undefined) throw new TypeError('not an address block');
    lists[block.family].addSubnet(block.address, block.prefix, block.family);
  }
  return {
    contains(address) {
      const plain = plainAddress(address);
      const family = familyOf(plain);
      return family !== undefined && lists[family].check(plain, family);
    },
  };
}

function parseBlock(text: string): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } | undefined {
  const [address = '', prefixText, ...rest] = text.split('/');
  const family = familyOf(address);
  if (family === undefined || rest.length > 0 || address.includes('%')) return undefined;
  if (family === 'ipv6' && plainAddress(address) !== address) return undefined;
  const bits = family === 'ipv4' ? 32 : 128;
  if (prefixText === undefined) return { address, prefix: bits, family };
  if (!/^\d{1,3}$/.test(prefixText) || Number(prefixText) > bits) return undefined;
  return { address, prefix: Number(prefixText), family };
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address);
  return version === 4 ? 'ipv4' : version === 6 ? 'ipv6' : undefined;
}

/** Unwraps an IPv4-mapped address, in whatever spelling, and drops a zone. */
function plainAddress(address: string): string {
  const unzoned = address.split('%', 1)[0] ?? '';
  if (isIP(unzoned) !== 6) return unzoned;
  const canonical = new SocketAddress({ address: unzoned, family: 'ipv6' }).address;
  return MAPPED.exec(canonical)?.[1] ?? unzoned;
}
