import { execFileSync } from 'node:child_process'

/**
 * Runs a script of several commands, up to the first that fails; returns what they print. One start of a process takes
 * ten milliseconds where memory is as large as that of a process of Vitest, and the shell's own starts next to nothing.
 */
export function shell(
  script: string,
  { cwd, env, args = [] }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly args?: readonly string[] },
): string {
  return execFileSync('sh', ['-ec', script, 'sh', ...args], { cwd, env, encoding: 'utf8', stdio: 'pipe' }).trim()
}
