import { listeningService } from '../support/service.ts';

// A service over the snapshots of the directory that is named, in a process of its own, so that nothing else is in
// its memory. It sends its port first. It answers each message: "look" makes it look for a new snapshot, and
// "figures" tells how many requests it holds and the bytes of its heap that are in use.
const [directory = ''] = process.argv.slice(2);
const service = await listeningService(directory);

/** A collection keeps what was made since it began, so the least of several counts. */
function heapInUse(): number {
  let least = Infinity;
  for (let round = 0; round < 3; round++) {
    global.gc?.();
    least = Math.min(least, process.memoryUsage().heapUsed);
  }
  return least;
}

process.on('message', async (message: 'look' | 'figures') => {
  if (message === 'look') await service.services.served.check();
  process.send?.({ held: service.services.held.size(), heapBytes: heapInUse() });
});
process.once('disconnect', () => process.exit());
process.send?.({ port: service.port });
