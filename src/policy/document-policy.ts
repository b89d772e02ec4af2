import type { Policy, PolicyProblem } from '../core/policy.ts'
import { envProblem } from './allowed-env.ts'
import { fileProblem } from './allowed-file.ts'
import { hostProblem, unlistedHost } from './allowed-host.ts'

/** What speaks against what a document says; undefined where nothing does. */
export interface DocumentPolicy {
  env(name: string): PolicyProblem | undefined
  host(url: URL): PolicyProblem | undefined
  /** Both absolute. Looks at the file system, because of symbolic links. */
  file(path: string, documentFolder: string): PolicyProblem | undefined
}

/** With `strict`, a host that no list has is a warning where there is no list at all. */
export function documentPolicy(policy: Policy, { strict = false }: { readonly strict?: boolean } = {}): DocumentPolicy {
  return {
    env: (name) => envProblem(name, policy),
    host: (url) => hostProblem(url, policy) ?? (strict && !policy.webhookHosts ? unlistedHost(url) : undefined),
    file: (path, documentFolder) => fileProblem(path, documentFolder, policy),
  }
}
