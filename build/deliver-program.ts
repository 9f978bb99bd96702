import type { Command } from 'commander';
import { commands, deliverCommands } from '../src/settings/commands.ts';
import type { DeliverCommandOptions, DeliverGiven } from './deliver-command.ts';

/**
 * Makes `npm run deliver` and the commands below it, which take its options, too. What they do is loaded with
 * them alone. `given` is called once.
 */
export function deliverProgram(given: () => DeliverGiven): Command {
  const load = () => import('./deliver-command.ts');
  const all = (command: Command) => command.optsWithGlobals<DeliverCommandOptions>();
  const onOne = (does: 'enable' | 'disable') => async (name: string, _own: unknown, command: Command) => {
    const { switchEndpoint } = await load();
    await switchEndpoint(does, name, all(command), given());
  };
  return (
    commands
      .deliver()
      .action(async (options: DeliverCommandOptions) => {
        const { deliverCommand } = await load();
        await deliverCommand(options, given());
      })
      .addCommand(
        deliverCommands.test().action(async (name: string, _own: unknown, command: Command) => {
          const { testEndpoint } = await load();
          await testEndpoint(name, all(command), given());
        }),
      )
      .addCommand(
        deliverCommands.list().action(async (_own: unknown, command: Command) => {
          const { listEndpoints } = await load();
          await listEndpoints(all(command), given());
        }),
      )
      .addCommand(
        deliverCommands
          .replay()
          .action(async (name: string, { cursor }: { readonly cursor: string }, command: Command) => {
            const { replayEndpoint } = await load();
            await replayEndpoint(name, { ...all(command), cursor }, given());
          }),
      )
      .addCommand(
        deliverCommands.key().action(async () => {
          const { printPublicKey } = await load();
          printPublicKey(given());
        }),
      )
      // It is about no endpoint.
      .hook('preSubcommand', (deliver, below) => {
        if (below.name() === 'key') deliver.setOptionValue('endpoints', '');
      })
      .addCommand(deliverCommands.disable().action(onOne('disable')))
      .addCommand(deliverCommands.enable().action(onOne('enable')))
  );
}
