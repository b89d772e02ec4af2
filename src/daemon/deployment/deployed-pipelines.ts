import type { Logger } from 'pino'
import type { SteadyClock } from '../../core/clock.ts'
import { shortCommit } from '../../core/format/short-commit.ts'
import { messageOf } from '../../core/message-of.ts'
import { repeat } from '../../core/repeat.ts'
import type { Deployments } from '../../state/deployments.ts'
import type { LiveDocument, PipelinesProblem } from '../documents/live-documents.ts'
import type { PipelinesFolder } from '../documents/pipelines-folder.ts'
import { problemLine } from './describe-problem.ts'
import { type Release, type ReleaseRules, readRelease } from './read-release.ts'
import { readManifest, releaseFolder } from './release-folder.ts'

/** The pipelines of the commit in use. */
export interface DeployedPipelines extends PipelinesFolder {
  /** The release in use. */
  release(): Release | undefined
  /** Uses a release that was already read here, as the deployment with this number. */
  use(id: number, release: Release): void
}

/** Another process may have deployed: all processes follow the row in the state. */
const LOOK_EVERY_MS = 2000

/**
 * Follows the deployment in use. Resolves when the current one has been read; a start without a network needs only the
 * state and the release. If a release cannot be read, the last one stays in use.
 */
export async function followDeployments(deps: {
  deployments: Pick<Deployments, 'current'>
  releases: string
  rules: ReleaseRules
  onChange: (documents: ReadonlyMap<string, LiveDocument>) => void
  clock: SteadyClock
  log: Logger
}): Promise<DeployedPipelines> {
  const { deployments, releases, rules, onChange, clock, log } = deps
  const closing = new AbortController()
  let inUse: { readonly id: number; readonly release: Release } | undefined
  let problems: readonly PipelinesProblem[] = []
  let isReady = false

  function use(id: number, release: Release): void {
    if (closing.signal.aborted || (inUse && inUse.id >= id)) return
    inUse = { id, release }
    problems = []
    if (isReady) onChange(release.documents)
  }

  function cannot(message: string): void {
    if (problems[0]?.messages[0] !== message) log.error({ releases }, message)
    problems = [{ file: releases, messages: [message], keepsLast: inUse !== undefined }]
  }

  async function look(): Promise<void> {
    const current = await deployments.current()
    if (!current) {
      problems = [{ file: releases, messages: ['nothing is deployed yet'], keepsLast: false }]
      return
    }
    const { id, commit } = current
    if (inUse?.id === id) {
      problems = []
      return
    }
    let manifest: ReturnType<typeof readManifest>
    try {
      manifest = readManifest(releases, commit)
    } catch (error) {
      return cannot(`the release of ${shortCommit(commit)} cannot be read: ${messageOf(error)}`)
    }
    if (!manifest) {
      const kept = inUse ? ': what was in use before stays in use' : ''
      return cannot(`the release of ${shortCommit(commit)} is not in ${releases}${kept}`)
    }
    const folder = releaseFolder(releases, commit)
    const read = await readRelease({ commit, folder, files: manifest.files, before: inUse?.release }, rules)
    if ('release' in read) return use(id, read.release)
    const [first] = read.problems
    cannot(
      `the release of ${shortCommit(commit)} cannot be used here: ${first ? problemLine(first) : 'it has problems'}`,
    )
  }

  await look()
  isReady = true
  const following = repeat(look, {
    clock,
    firstMs: LOOK_EVERY_MS,
    everyMs: LOOK_EVERY_MS,
    signal: closing.signal,
    failed: (error) => cannot(`the release in use cannot be read: ${messageOf(error)}`),
  })
  return {
    documents: () => inUse?.release.documents ?? new Map(),
    problems: () => problems,
    release: () => inUse?.release,
    use,
    async close() {
      closing.abort()
      await following
    },
  }
}
