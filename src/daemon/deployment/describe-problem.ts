import type { DeployProblem } from '../../state/deployments.ts'

/** A problem as one line. */
export function problemLine({ file, line, column, message, code, hint }: DeployProblem): string {
  const place = line === undefined ? file : `${file}:${line}:${column}`
  return `${place} ${message} [${code}]${hint === undefined ? '' : `; ${hint}`}`
}
