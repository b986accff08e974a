import type { Command } from 'commander';
import type { ClusterOptions } from '../cluster-command.js';
import { onAllNamespaces, onCluster } from '../cluster-command.js';

/** Keeps the cluster as it is now. */
export function snapshot(program: Command): void {
  onCluster(onAllNamespaces(program.command('snapshot')))
    .argument('[file]', 'where to write it, compressed if it ends in .gz; - for standard output')
    .summary('write the cluster as it is now to a file, or with --server to a service')
    .description('Writes the lists of all kinds that decide something, complete, as the API server has them.')
    .addHelpText('after', '\nExample:\n  kubectl placement snapshot --server https://placement.example --cluster prod')
    .action(async (file: string | undefined, options: ClusterOptions) => {
      const { takeSnapshot } = await import('../take-snapshot.js');
      process.exitCode = await takeSnapshot(file, options);
    });
}
