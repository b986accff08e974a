/** Whether every benchmark is to run once, on little, to show that it can be run: its figures say nothing. */
export const isBrief = process.argv.includes('--brief');

/** A size, count, rate or duration of a benchmark: usually, and in brief. */
export const size = (usual: number, brief: number): number => (isBrief ? brief : usual);
