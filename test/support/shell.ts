import { execFileSync } from 'node:child_process'

/**
 * Runs a script of several commands, up to the first that fails; returns what they print. Starting a process from one
 * as large as Vitest's takes ten milliseconds; starting one from the shell takes almost no time.
 */
export function shell(
  script: string,
  { cwd, env, args = [] }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly args?: readonly string[] },
): string {
  return execFileSync('sh', ['-ec', script, 'sh', ...args], { cwd, env, encoding: 'utf8', stdio: 'pipe' }).trim()
}
