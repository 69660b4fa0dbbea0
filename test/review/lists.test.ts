import { describe, expect, test } from '@jest/globals';
import { cidrListField, listField } from '../../src/framework/field.js';
import { mountWithRole } from '../paths/mount.js';

// The text of a template such as "${a},${b}" whose variables are not set.
const UNSET = [',', ' , ', ',,'];

describe('a comma-delimited text without a single entry', () => {
  test.each(UNSET)('%j is refused, since it could empty a list that restricts', (text) => {
    expect(listField({ description: 'x' }).parse(text)).toBeUndefined();
    expect(cidrListField({ description: 'x' }).parse(text)).toBeUndefined();
  });

  test('leaves the constraints of a role as they were', async () => {
    const bound = { bound_locations: ['westeurope'], bound_resource_groups: ['rg'], token_bound_cidrs: ['10.0.0.0/8'] };
    const mount = await mountWithRole(bound);
    for (const name of Object.keys(bound)) {
      await expect(mount.write('role/dev', { [name]: ',' })).rejects.toMatchObject({
        code: 'invalid_request',
        field: name,
      });
    }
    expect(await mount.read('role/dev')).toMatchObject(bound);
  });

  test('an empty text still empties a list', () => {
    expect(listField({ description: 'x' }).parse('')).toEqual([]);
    expect(cidrListField({ description: 'x' }).parse(' ')).toEqual([]);
  });
});
