import { Command, Option } from 'commander';
import { VERSION } from '../version.js';
import type { DemoOptions } from './demo/demo.js';
import type { ExplainOptions, LoginOptions } from './login-command.js';
import type { ServerOptions } from './server-command.js';
import type { SimulatorOptions } from './simulator-command.js';

const EXAMPLES = `
Examples:
  cloud-identity-auth demo
  cloud-identity-auth server --dev --simulator --listen 127.0.0.1:8200 --root-token root
  cloud-identity-auth simulator --directory ./cloud
  cloud-identity-auth login --address http://127.0.0.1:8200 --role web --vm --resource https://secrets.example.com
`;

/** The command line. Each command loads its code when it runs, so that help is quick. */
export function createProgram(): Command {
  const program = new Command('cloud-identity-auth')
    .description('Lets a secrets server accept the identity of a cloud machine as a login.')
    .version(VERSION)
    .addHelpText('after', EXAMPLES);

  program
    .command('demo')
    .description('Watch a machine log in: a simulated cloud, a server, a role, a login, and a login that is refused.')
    .option('--keep', 'leave the simulated cloud and the server running until Ctrl-C')
    .addOption(
      new Option('--attack', 'try every known attack instead, and show what refuses it; not with --keep').conflicts(
        'keep',
      ),
    )
    .addOption(
      new Option(
        '--rotate',
        'rotate the client secret while machines log in instead; not with --keep or --attack',
      ).conflicts(['keep', 'attack']),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  cloud-identity-auth demo --keep\n  cloud-identity-auth demo --attack\n  cloud-identity-auth demo --rotate\n',
    )
    .action(async ({ attack, rotate, ...options }: DemoOptions & { attack?: true; rotate?: true }) => {
      if (attack) {
        const { demoAttack } = await import('./attack/demo-attack.js');
        await demoAttack();
      } else if (rotate) {
        const { demoRotate } = await import('./demo/rotate.js');
        await demoRotate();
      } else {
        const { demo } = await import('./demo/demo.js');
        await demo(options);
      }
    });

  program
    .command('server')
    .description('Run an HTTP server with the method enabled.')
    .option('--dev', 'keep everything in memory: for trying things out')
    .option('--storage <location>', 'where to keep everything instead, as file:<directory>; made when it is not there')
    .option(
      '--storage-key-file <file>',
      'file with the key of the storage, mode 0600; default: CLOUD_IDENTITY_AUTH_STORAGE_KEY',
    )
    .option('--base-url <url>', 'where the directory reaches this server, for federation; default: where it listens')
    .option('--listen <address>', 'address and port', '127.0.0.1:8200')
    .option('--root-token <token>', 'the root token; made up and printed when not given')
    .addOption(
      new Option('--dialect <name>', 'spelling of names and reads').choices(['cloud', 'vault']).default('cloud'),
    )
    .option('--mount <path>', 'where to enable the method, unless it is enabled there already', 'cloud')
    .option('--simulator', 'run a simulated cloud too, and use it instead of the real one')
    .addOption(
      new Option('--log-level <level>', 'how much to log')
        .choices(['trace', 'debug', 'info', 'warn', 'error'])
        .default('info'),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  cloud-identity-auth server --dev --listen 127.0.0.1:8200 --root-token root\n' +
        '  cloud-identity-auth server --dev --simulator --dialect vault --mount azure\n' +
        '  (umask 077; openssl rand -base64 32 > storage.key)\n' +
        '  cloud-identity-auth server --storage file:./data --storage-key-file storage.key\n\n' +
        'It takes either --dev or --storage. The key of the storage is 32 random bytes in hexadecimal or base64, in that file or in\n' +
        'the variable CLOUD_IDENTITY_AUTH_STORAGE_KEY.\n' +
        'Without --simulator it talks to the real cloud and trusts NODE_EXTRA_CA_CERTS; CLOUD_ENVIRONMENTS_FILE adds clouds.\n',
    )
    .action(async (options: ServerOptions) => {
      const { server } = await import('./server-command.js');
      await server(options);
    });

  program
    .command('simulator')
    .description('Run a simulated cloud with machines of every kind on HTTPS.')
    .option('--listen <address>', 'address and port of the cloud; metadata services take free ports', '127.0.0.1:0')
    .option('--directory <path>', 'where to write ca.pem and environments.json for CLOUD_ENVIRONMENTS_FILE')
    .addHelpText(
      'after',
      '\nExample:\n  cloud-identity-auth simulator --directory ./cloud\n' +
        '  CLOUD_ENVIRONMENTS_FILE=./cloud/environments.json cloud-identity-auth server --dev\n',
    )
    .action(async (options: SimulatorOptions) => {
      const { simulator } = await import('./simulator-command.js');
      await simulator(options);
    });

  withLoginOptions(program.command('login'))
    .description('What a machine runs: gets an identity token from the metadata service and logs in with it.')
    .addOption(new Option('--format <format>', 'what to print').choices(['token', 'json']).default('token'))
    .addHelpText(
      'after',
      '\nExamples:\n  cloud-identity-auth login --address https://secrets.example.com --role web --vm --resource https://secrets.example.com\n' +
        '  cloud-identity-auth login --address http://127.0.0.1:8200 --role web --resource https://secrets.example.com --format json\n',
    )
    .action(async (options: LoginOptions) => {
      const { login } = await import('./login-command.js');
      await login(options);
    });

  withLoginOptions(program.command('explain'))
    .description('Say what every rule makes of a login of this machine, without logging in. For administrators.')
    .addOption(
      new Option('--token <token>', 'service token of an administrator')
        .env('CLOUD_IDENTITY_AUTH_TOKEN')
        .makeOptionMandatory(),
    )
    .addHelpText(
      'after',
      '\nExample:\n  cloud-identity-auth explain --address http://127.0.0.1:8200 --role web --vm --resource https://secrets.example.com --token root\n',
    )
    .action(async (options: ExplainOptions) => {
      const { explain } = await import('./login-command.js');
      await explain(options);
    });

  return program;
}

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}

function withLoginOptions(command: Command): Command {
  return command
    .requiredOption('--address <url>', 'URL of the secrets server')
    .requiredOption('--role <name>', 'role to log in against')
    .requiredOption('--resource <audience>', 'audience of the identity token: the resource of the configuration')
    .option('--mount <path>', 'where the method is enabled', 'cloud')
    .option('--vm', 'send what names this machine: subscription, resource group, and name, scale set or resource id')
    .option('--field <name=value>', 'send a further field; may be repeated', collect, [])
    .option('--identity <client-id>', 'which user-assigned identity to use')
    .option('--metadata-url <url>', 'address of an instance metadata service; default: what the environment says')
    .option(
      '--key-directory <path>',
      'where the agent of an Arc machine keeps its keys (default: "/var/opt/azcmagent/tokens")',
    );
}
