import type { SourceUse } from '../core/list-source.ts'
import type { Policy, PolicyProblem } from '../core/policy.ts'
import { envProblem } from './allowed-env.ts'
import { fileProblem } from './allowed-file.ts'
import { hostProblem, unlistedHost } from './allowed-host.ts'
import { unpreparedProblem } from './prepared-file.ts'

/** The reasons why a document may not use something; undefined if it may. */
export interface DocumentPolicy {
  env(name: string): PolicyProblem | undefined
  host(url: URL): PolicyProblem | undefined
  /** Both paths are absolute. Reads the file system, because of symbolic links. */
  file(path: string, documentFolder: string): PolicyProblem | undefined
  /** The sources by name; undefined if they are unknown. */
  sources(): ReadonlyMap<string, SourceUse> | undefined
  /** The reason why a file that `files.prepare` did not write may not be uploaded. */
  unprepared(): PolicyProblem | undefined
}

/** With `strict`, a host gets a warning if there is no list of hosts at all. */
export function documentPolicy(policy: Policy, { strict = false }: { strict?: boolean } = {}): DocumentPolicy {
  return {
    env: (name) => envProblem(name, policy),
    host: (url) => hostProblem(url, policy) ?? (strict && !policy.webhookHosts ? unlistedHost(url) : undefined),
    file: (path, documentFolder) => fileProblem(path, documentFolder, policy),
    sources: () => policy.sources,
    unprepared: () => unpreparedProblem(policy),
  }
}
