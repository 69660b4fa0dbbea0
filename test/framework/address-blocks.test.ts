import { describe, expect, test } from '@jest/globals';
import { addressBlocks, isAddressBlock } from '../../src/contract/index.js';

describe('isAddressBlock', () => {
  test.each([
    '10.0.0.0/8',
    '10.0.0.5/8',
    '10.0.0.1',
    '0.0.0.0/0',
    '10.0.0.1/32',
    '::/0',
    '2001:db8::/32',
    '2001:DB8::1',
    '::1/128',
    // Not IPv4-mapped, however alike: the compatible and the translated form.
    '::1.2.3.4',
    '::ffff:0:1.2.3.4',
  ])('takes %s', (text) => {
    expect(isAddressBlock(text)).toBe(true);
  });

  test.each([
    '',
    ' ',
    '/8',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/+8',
    '10.0.0.0/8.0',
    '10.0.0.0/1e1',
    '10.0.0.0/ 8',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '10.0.0.0/٨',
    '10.0.0',
    '010.0.0.1',
    '0x0a.0.0.1',
    '10.0.0.256',
    ' 10.0.0.1',
    '10.0.0.1\n',
    '10.0.0.1:443',
    '::/129',
    '2001:db8::/32/1',
    ':::/0',
    '[::1]',
    'fe80::1%eth0',
    'fe80::%eth0/64',
    '::ffff:10.0.0.1',
    '::ffff:10.0.0.0/104',
    '::FFFF:0a00:0001',
    '0:0:0:0:0:ffff:10.0.0.1',
    'localhost',
    '*',
  ])('refuses %j', (text) => {
    expect(isAddressBlock(text)).toBe(false);
  });
});

describe('contains', () => {
  test.each<[entries: string[], address: string, inside: boolean]>([
    [['10.0.0.0/8'], '10.255.255.255', true],
    [['10.0.0.0/8'], '11.0.0.0', false],
    [['10.0.0.5/8'], '10.9.9.9', true],
    [['10.0.0.1'], '10.0.0.1', true],
    [['10.0.0.1'], '10.0.0.2', false],
    [['0.0.0.0/0'], '203.0.113.9', true],
    [['0.0.0.0/0'], '::1', false],
    [['::/0'], '2001:db8::1', true],
    [['::/0'], '10.0.0.1', false],
    [['::/0'], '::ffff:10.0.0.1', false],
    [['::/1'], '::ffff:10.0.0.1', false],
    [['10.0.0.0/8'], '::ffff:10.0.0.1', true],
    [['10.0.0.0/8'], '::FFFF:10.0.0.1', true],
    [['10.0.0.0/8'], '::ffff:a00:1', true],
    [['10.0.0.0/8'], '0:0:0:0:0:ffff:10.0.0.1', true],
    [['10.0.0.0/8'], '0000:0000:0000:0000:0000:ffff:0a00:0001', true],
    [['10.0.0.0/8'], '::ffff:10.0.0.1%eth0', true],
    [['10.0.0.0/8'], '::10.0.0.1', false],
    [['10.0.0.0/8'], '::ffff:0:10.0.0.1', false],
    [['10.0.0.0/8'], '64:ff9b::10.0.0.1', false],
    [['fe80::/10'], 'fe80::1%eth0', true],
    [['2001:db8::/32'], '2001:DB8::1', true],
    [['2001:db8::/32'], '2001:db9::1', false],
    [['10.0.0.0/8', '2001:db8::/32'], '2001:db8::1', true],
    [['10.0.0.0/8', '192.0.2.0/24'], '192.0.2.7', true],
    [[], '10.0.0.1', false],
    [['10.0.0.0/8'], '', false],
    [['10.0.0.0/8'], '10.0.0.1:443', false],
    [['10.0.0.0/8'], '10.0.0.1, 192.0.2.1', false],
    [['10.0.0.0/8'], '010.0.0.1', false],
    [['0.0.0.0/0', '::/0'], 'unix:/run/socket', false],
  ])('%j contains %s: %p', (entries, address, inside) => {
    expect(addressBlocks(entries).contains(address)).toBe(inside);
  });

  test('refuses to be built from an entry that is no block, rather than leaving it out', () => {
    expect(() => addressBlocks(['10.0.0.0/8', '10.0.0.0/33'])).toThrow(TypeError);
  });
});
