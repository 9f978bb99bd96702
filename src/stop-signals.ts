/**
 * Calls a function with the first signal that asks this process to end: also SIGHUP, which a terminal sends
 * when it is closed, and some supervisors. A terminal and npm may both send the same signal; later ones change
 * nothing.
 */
export function onStopSignal(stop: (signal: string) => void): void {
  let isStopping = false;
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'])
    process.on(name, (signal: string) => {
      if (isStopping) return;
      isStopping = true;
      // After a terminal was closed, nothing can be written to it, and that must not end the process at once.
      if (signal === 'SIGHUP')
        for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
      stop(signal);
    });
}
