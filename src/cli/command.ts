import type { Command } from 'commander'
import type { Terminal } from './terminal.ts'

/** Creates a command; it passes its exit code to `finish`, or throws an AudienceError. */
export type CommandMaker = (terminal: Terminal, finish: (exitCode: number) => void) => Command
