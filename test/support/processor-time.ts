/**
 * Starts to measure the processor time of this process, with the service that runs in it and its worker threads. Unlike elapsed time, it hardly
 * grows when other processes use the machine; what waits for something uses none, and is for the test's timeout to find.
 * @returns the processor time since then, in seconds
 */
export function processorTime(): () => number {
  const from = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1e6;
  };
}
