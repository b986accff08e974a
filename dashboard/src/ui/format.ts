const whole = new Intl.NumberFormat('en');

/** "10,000" */
export const count = (number: number | bigint): string => whole.format(number);

/** "1 node", "2 nodes" */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${count(number)} ${number === 1 ? one : many}`;
