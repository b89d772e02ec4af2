import type { Command } from 'commander'
import type { Terminal } from './terminal.ts'

/** Makes a command; it tells its exit code through `finish`, or throws an AudienceError. */
export type CommandMaker = (terminal: Terminal, finish: (exitCode: number) => void) => Command
