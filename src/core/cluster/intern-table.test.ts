import { describe, expect, it } from '@jest/globals';
import { InternTable } from './intern-table.js';
import { UnreadLines } from './unread-text.js';

const unread = (...lines: string[]): UnreadLines =>
  new UnreadLines({ bytes: 1, read: () => lines.join('\n') }, lines.length);

describe('the values of a table', () => {
  it('are read when they are asked for, each once, also those that are added afterwards', () => {
    const read: string[] = [];
    const parse = (line: string): string => {
      read.push(line);
      return `<${line}>`;
    };
    const table = new InternTable<string>();
    table.append(unread('a', 'b'), parse);
    expect(table.at(1)).toBe('<b>');
    expect(table.values).toEqual(['<a>', '<b>']);
    table.append(unread('c'), parse);
    table.idOf('d', () => '<d>');
    expect(table.values).toEqual(['<a>', '<b>', '<c>', '<d>']);
    expect(table.values).toEqual(['<a>', '<b>', '<c>', '<d>']);
    expect(read).toEqual(['b', 'a', 'c']);
  });

  it('follow those of the base at the time of the fork', () => {
    const base = new InternTable<string>();
    base.append(unread('a'), (line) => `<${line}>`);
    const fork = base.fork();
    base.idOf('later', () => '<later>');
    fork.append(unread('b'), (line) => `<${line}>`);
    expect(fork.values).toEqual(['<a>', '<b>']);
    fork.idOf('c', () => '<c>');
    expect([fork.values, base.values]).toEqual([
      ['<a>', '<b>', '<c>'],
      ['<a>', '<later>'],
    ]);
  });
});
