import type { Actor, Signed } from '../core/run.ts'

/** A commit that was put into use. Times are in milliseconds since 1970. */
export interface Deployment extends Signed {
  /** Deployments are numbered without gaps. */
  readonly id: number
  readonly commit: string
  /** `deploy`: it was deployed automatically. `rollBack`: a person went back to it. */
  readonly act: 'deploy' | 'rollBack'
  readonly at: number
  readonly subject: string
  readonly author: string
  readonly committedAt: number
  /** How many pipelines the commit has. */
  readonly pipelines: number
}

/** What is wrong with a commit. */
export interface DeployProblem {
  /** The path in the repository. */
  readonly file: string
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
}

/** Why the files of the commit in use are gone and could not be fetched again. */
export interface LostRelease extends Pick<DeployProblem, 'code' | 'message' | 'hint'> {
  readonly commit: string
}

/** What the newest check of the remote repository found. */
export interface RepositoryLook {
  readonly state: 'current' | 'refused' | 'unreachable' | 'ref-gone'
  /** When this state began. */
  readonly since: number
  readonly lookedAt: number
  /** The commit that the check found; absent if it found none. */
  readonly commit?: string | undefined
  readonly subject?: string | undefined
  readonly author?: string | undefined
  readonly committedAt?: number | undefined
  /** The first problems with a refused commit. */
  readonly problems?: readonly DeployProblem[] | undefined
  readonly problemCount?: number | undefined
  /** Why the repository cannot be reached, or why the commit as a whole is refused. */
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string | undefined } | undefined
  readonly lost?: LostRelease | undefined
  /** Whether people have been told about it. */
  readonly told?: boolean | undefined
}

/** What to tell people about deployments. */
export interface DeploymentNews {
  readonly what: 'refused' | 'unreachable' | 'recovered'
  readonly at: number
  /** One sentence without a full stop. */
  readonly title: string
  readonly details: readonly string[]
  readonly error?: RepositoryLook['error']
  /** Distinguishes this news from other news. */
  readonly key: string
}

/** The instructions that people have given for deployments. */
export interface DeployOrders {
  readonly paused?: (Signed & { readonly at: number }) | undefined
  /** The commit that is skipped because of a rollback. */
  readonly skipped?: string | undefined
  /** When somebody asked for a check. */
  readonly askedAt?: number | undefined
}

/** What is known about deployments when a check of the repository begins. */
export interface DeployStanding {
  /** The deployment that is in use. */
  readonly current: Deployment | undefined
  readonly look: RepositoryLook | undefined
  readonly orders: DeployOrders
  /** A number that rises with each recorded check, each rollback and each pause. */
  readonly turn: number
}

/**
 * Records which commit is in use, and how the remote repository differs from it. For every process that shares the
 * state, the newest deployment is in use. Every implementation passes test/contract/deployments-suite.ts.
 */
export interface Deployments {
  current(): Promise<Deployment | undefined>
  /** Newest first. */
  list(limit: number): Promise<readonly Deployment[]>
  standing(): Promise<DeployStanding>
  /**
   * Puts a commit into use, and records what the check found and what to tell people, in one transaction. `after` is
   * what was known when the check began. If its `turn` is no longer the current one, returns false and changes nothing.
   * So a process that is slow or no longer the keeper cannot overwrite a newer check, a rollback or a pause.
   */
  deploy(
    deployment: Omit<Deployment, 'id' | 'act' | keyof Signed>,
    about: {
      after: DeployStanding
      look: RepositoryLook
      news?: DeploymentNews | undefined
    },
  ): Promise<boolean>
  /**
   * Goes back to an earlier commit, and skips the commit `skips` until there is a newer one. Returns false if the
   * deployment with the number `after` is no longer in use. The audit log gets an entry, as for everything that people
   * do.
   */
  rollBack(
    deployment: Omit<Deployment, 'id' | 'act' | keyof Signed>,
    about: { after: number; skips: string | undefined },
    actor: Actor,
  ): Promise<boolean>
  /** Records what a check found, without a deployment. Returns false in the same case as `deploy`. */
  noteLook(look: RepositoryLook, about: { after: DeployStanding; news?: DeploymentNews | undefined }): Promise<boolean>
  pause(at: number, actor: Actor): Promise<void>
  /** Returns false if deployments were not paused. */
  resume(actor: Actor): Promise<boolean>
  /** Asks for a check of the remote repository now. */
  ask(at: number, actor: Actor): Promise<void>
}
