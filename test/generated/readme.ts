import { ERROR_CODES } from '../../src/contract/index.js';
import type { Fields } from '../../src/framework/field.js';
import { CONFIG_FIELDS } from '../../src/paths/config-fields.js';
import { DIALECTS } from '../../src/paths/dialect.js';
import { LOGIN_FIELDS } from '../../src/paths/login-request.js';
import { ROLE_FIELDS } from '../../src/paths/role-fields.js';

/** Blocks of the README that are made of the code, by name. They stand between `<!-- name -->` and `<!-- /name -->`. */
export function readmeBlocks(manifest: Readonly<Record<string, unknown>>): Record<string, string> {
  return {
    'config-fields': fieldTable(CONFIG_FIELDS),
    'role-fields': fieldTable(ROLE_FIELDS),
    'login-fields': fieldTable(LOGIN_FIELDS),
    variables: table(
      ['field', ...Object.keys(DIALECTS).map((name) => `dialect \`${name}\``)],
      (Object.entries(DIALECTS.cloud.variables) as [string, string][]).map(([field, variable]) => [
        code(field),
        code(variable),
        code(DIALECTS.vault.variables[field as keyof typeof DIALECTS.vault.variables]),
      ]),
    ),
    permissions: table(
      ['feature', 'entity', 'actions'],
      (manifest['permissions'] as { feature: string; entity: string; actions: string[] }[]).map(
        ({ feature, entity, actions }) => [feature, entity, actions.map(code).join(', ')],
      ),
    ),
    errors: table(
      ['code', 'status', 'text shown to callers'],
      Object.entries(ERROR_CODES).map(([name, { status, public: visible }]) => [
        code(name),
        String(status),
        visible ? 'yes' : 'no, only in the log',
      ]),
    ),
  };
}

/** Replaces the blocks of a text. Throws when one is missing. */
export function withBlocks(text: string, blocks: Readonly<Record<string, string>>): string {
  return Object.entries(blocks).reduce((result, [name, content]) => {
    const block = new RegExp(`<!-- ${name} -->[^]*?<!-- /${name} -->`);
    if (!block.test(result)) throw new Error(`the block ${name} is missing`);
    return result.replace(block, () => `<!-- ${name} -->\n${content}\n<!-- /${name} -->`);
  }, text);
}

function fieldTable(fields: Fields): string {
  return table(
    ['field', 'type', 'default', 'meaning'],
    Object.entries(fields).map(([name, field]) => {
      const fallback = field.required
        ? 'required'
        : field.default === undefined
          ? ''
          : code(JSON.stringify(field.default));
      const successor = field.deprecatedFor === undefined ? '' : ` Deprecated: use \`${field.deprecatedFor}\`.`;
      return [code(name), field.kind, fallback, `${field.description} Takes ${field.takes}.${successor}`];
    }),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}
