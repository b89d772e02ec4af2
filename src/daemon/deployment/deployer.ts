import type { Logger } from 'pino'
import type { SteadyClock } from '../../core/clock.ts'
import type { AudienceError } from '../../core/errors.ts'
import { count } from '../../core/format/figures.ts'
import { shortCommit } from '../../core/format/short-commit.ts'
import { isStateAway } from '../../core/is-state-away.ts'
import { printable } from '../../core/printable.ts'
import type {
  Deployment,
  DeploymentNews,
  Deployments,
  DeployStanding,
  LostRelease,
  RepositoryLook,
} from '../../state/deployments.ts'
import { createRestore, errorFacts } from './create-restore.ts'
import { problemLine } from './describe-problem.ts'
import {
  isErrorOf,
  type PrepareCommitDeps,
  prepareCommit,
  type RefusedCommit,
  type ValidCommit,
} from './prepare-commit.ts'
import { type Release, readRelease } from './read-release.ts'
import { readManifest, releaseFolder, removeUnfinished } from './release-folder.ts'

export interface DeployerDeps extends Omit<PrepareCommitDeps, 'signal'> {
  deployments: Deployments
  everyMs: number
  clock: SteadyClock
  random: () => number
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** The release in use here. */
  inUse: () => Release | undefined
  /** Called when a release was put into use, or is available here again. */
  deployed: (id: number, release: Release) => void
  /** Removes releases that nobody needs. */
  prune: () => Promise<void>
}

/** How often it checks whether people have asked for something. */
const TICK_MS = 1000
const LONGEST_BACK_OFF_MS = 15 * 60_000
/** People are told when there has been no answer for this long. */
const UNREACHABLE_AFTER_MS = 15 * 60_000
const MOST_PROBLEMS = 20
const MOST_TOLD = 5

/**
 * Checks the remote repository and deploys its commits. Only one process does this at a time, and it never makes two
 * checks at the same time.
 */
export function startDeployer(deps: DeployerDeps): { stop(): Promise<void> } {
  const { clock, everyMs, random, deployments, log, releases } = deps
  const over = new AbortController()
  removeUnfinished(releases)
  const look = createLook(deps, over.signal)

  async function run(): Promise<void> {
    let failures = 0
    let askedAt = await asked()
    while (!over.signal.aborted) {
      try {
        failures = (await look()) ? 0 : failures + 1
      } catch (error) {
        failures += 1
        if (!over.signal.aborted && !isStateAway(error)) log.error({ err: error }, 'the repository cannot be checked')
      }
      const backOff = Math.min(LONGEST_BACK_OFF_MS, everyMs * 2 ** Math.min(failures, 10))
      const restMs = Math.max(everyMs, failures === 0 ? 0 : backOff) * (0.9 + random() * 0.2)
      const until = clock.steady() + restMs
      while (!over.signal.aborted && clock.steady() < until) {
        await clock.sleep(Math.min(TICK_MS, restMs), over.signal).catch(() => undefined)
        const now = await asked()
        if (now === undefined || now === askedAt) continue
        askedAt = now
        break
      }
    }
  }

  /** When somebody asked for a check; undefined while the state is unavailable. */
  const asked = () =>
    deployments.standing().then(
      ({ orders }) => orders.askedAt,
      () => undefined,
    )

  const running = run()
  return {
    async stop() {
      over.abort(new Error('the deployer ends'))
      await running
    },
  }
}

/** Returns a function that makes one check and resolves to whether the repository was reached. */
export function createLook(deps: DeployerDeps, signal: AbortSignal): () => Promise<boolean> {
  const { store, deployments, releases, rules, clock, log } = deps
  /**
   * The commit that this process refused. The rules of a process do not change, so the same commit is not read again
   * unless somebody asks for it.
   */
  let refusedHere: { readonly commit: string; readonly askedAt: number | undefined } | undefined
  const restore = createRestore({ ...deps, signal })
  let lost: LostRelease | undefined
  const noteLook: Deployments['noteLook'] = (look, about) => deployments.noteLook({ ...look, lost }, about)

  return async () => {
    const standing = await deployments.standing()
    const { orders, current, look: before } = standing
    lost = await restore(standing)
    if (orders.paused) {
      if (before && before.lost?.message !== lost?.message) await noteLook(before, { after: standing })
      return true
    }
    const now = clock.now()
    let commit: string
    try {
      commit = await store.look(signal)
    } catch (error) {
      if (!isErrorOf(error, 'git-')) throw error
      await noteTrouble(error, standing)
      return error.code === 'git-ref-gone'
    }
    if ((commit === current?.commit && releaseOf(commit)) || commit === orders.skipped) {
      const is: RepositoryLook = { ...factsOf(before, commit), state: 'current', commit, lookedAt: now, since: now }
      await note({ ...is, since: before?.state === 'current' ? before.since : now }, standing)
      return true
    }
    const isKnown = refusedHere?.commit === commit && refusedHere.askedAt === orders.askedAt
    if (before?.state === 'refused' && before.commit === commit && isKnown) {
      await noteLook({ ...before, lookedAt: now }, { after: standing })
      return true
    }
    let prepared: Awaited<ReturnType<typeof preparedOf>>
    try {
      prepared = await preparedOf(commit, current)
    } catch (error) {
      if (!isErrorOf(error, 'git-')) throw error
      await noteTrouble(error, standing)
      return false
    }
    if ('problems' in prepared) {
      refusedHere = { commit, askedAt: orders.askedAt }
      await refuse(commit, prepared, standing)
      return true
    }
    await deploy({ ...prepared, commit, lookedAt: now }, standing)
    return true
  }

  /** Puts a commit into use, unless another process has changed what is in use. */
  async function deploy(
    { facts, release, place, commit, lookedAt }: ValidCommit & { commit: string; lookedAt: number },
    standing: DeployStanding,
  ): Promise<void> {
    const { current, look: before } = standing
    place()
    const at = clock.now()
    const its = { commit, subject: facts.subject, author: facts.author, committedAt: facts.at }
    const pipelines = release.documents.size
    const look: RepositoryLook = { ...its, state: 'current', since: at, lookedAt }
    const title = `${shortCommit(commit)} is deployed`
    const news = recovered(before, title, at)
    if (!(await deployments.deploy({ ...its, at, pipelines }, { after: standing, look, news }))) return
    log.info({ commit, subject: printable(facts.subject), pipelines }, title)
    deps.deployed((current?.id ?? 0) + 1, release)
    await deps.prune().catch((error: unknown) => log.warn({ err: error }, 'old releases cannot be removed'))
  }

  /** Undefined if the release was removed, or made from another folder. The commit is then deployed again. */
  function releaseOf(commit: string) {
    const manifest = readManifest(releases, commit)
    return manifest?.path === rules.path ? manifest : undefined
  }

  /** If the release of a commit still exists, the commit was in use before. Every other commit is fetched. */
  async function preparedOf(commit: string, current: Deployment | undefined) {
    const inUse = deps.inUse()
    const manifest = (await deployments.list(100)).some((one) => one.commit === commit) ? releaseOf(commit) : undefined
    if (!manifest) {
      const before = inUse?.commit === current?.commit ? inUse : undefined
      return prepareCommit(commit, before, { ...deps, signal })
    }
    const folder = releaseFolder(releases, commit)
    const read = await readRelease({ commit, folder, files: manifest.files, before: inUse }, rules)
    const { facts } = manifest
    return 'problems' in read
      ? { facts, problems: read.problems, error: undefined }
      : { facts, release: read.release, place: () => undefined }
  }

  async function refuse(commit: string, { facts, problems, error }: RefusedCommit, after: DeployStanding) {
    const { current, look: before } = after
    const now = clock.now()
    const isNew = before?.state !== 'refused' || before.commit !== commit
    const title = `${shortCommit(commit)} is refused; ${keptText(current)}`
    const lines = problems.map(problemLine)
    const look: RepositoryLook = {
      state: 'refused',
      since: isNew ? now : before.since,
      lookedAt: now,
      commit,
      told: true,
      subject: facts?.subject,
      author: facts?.author,
      committedAt: facts?.at,
      problems: problems.slice(0, MOST_PROBLEMS),
      problemCount: problems.length,
      error: error && errorFacts(error),
    }
    const more = lines.length > MOST_TOLD ? [`and ${count(lines.length - MOST_TOLD, 'more problem')}`] : []
    const details = [
      ...(facts ? [`"${facts.subject}" by ${facts.author}.`] : []),
      ...lines.slice(0, MOST_TOLD),
      ...more,
    ]
    const news: DeploymentNews = {
      what: 'refused',
      at: now,
      title,
      details,
      key: `refused/${commit}`,
      error: look.error,
    }
    const isNoted = await noteLook(look, { after, news: isNew ? news : undefined })
    if (isNoted && isNew) log.error({ commit, problems: lines.slice(0, MOST_PROBLEMS), error: error?.message }, title)
  }

  async function noteTrouble(error: AudienceError, after: DeployStanding): Promise<void> {
    const { current, look: before } = after
    const now = clock.now()
    const state = error.code === 'git-ref-gone' ? 'ref-gone' : 'unreachable'
    const isSame = before?.state === state
    const since = isSame ? before.since : now
    const wasTold = isSame && before.told === true
    const isTold = wasTold || now - since >= UNREACHABLE_AFTER_MS
    const facts = errorFacts(error)
    const isGone = state === 'ref-gone'
    const problem = isGone ? 'the branch of the pipelines is gone' : 'the repository of the pipelines cannot be reached'
    const title = `${problem}; ${keptText(current)}`
    const news: DeploymentNews = {
      what: 'unreachable',
      at: now,
      title,
      details: [],
      key: `${state}/${since}`,
      error: facts,
    }
    if (!isSame) log.warn({ error: facts.message, code: facts.code }, title)
    await noteLook(
      { ...before, state, since, lookedAt: now, problems: undefined, error: facts, told: isTold },
      { after, news: isTold && !wasTold ? news : undefined },
    )
  }

  function keptText(current: Deployment | undefined): string {
    if (!current) return 'nothing is in use yet'
    return lost ? `the files of ${shortCommit(current.commit)} are gone` : `${shortCommit(current.commit)} stays in use`
  }

  async function note(look: RepositoryLook, after: DeployStanding): Promise<void> {
    const { current, look: before } = after
    const title = current
      ? `${shortCommit(current.commit)} is in use, and the repository can be reached`
      : 'all is well'
    await noteLook(look, { after, news: recovered(before, title, look.lookedAt) })
  }
}

/** Returns the news that a problem is over, if people were told about the problem. */
function recovered(before: RepositoryLook | undefined, title: string, at: number): DeploymentNews | undefined {
  if (!before?.told || before.state === 'current') return undefined
  return { what: 'recovered', at, title, details: [], key: `recovered/${at}` }
}

function factsOf(before: RepositoryLook | undefined, commit: string) {
  if (before?.commit !== commit) return {}
  const { subject, author, committedAt } = before
  return { subject, author, committedAt }
}
