import type { Actor, Signed } from '../core/run.ts'

/** A commit that was put into use. Times are in milliseconds since 1970. */
export interface Deployment extends Signed {
  /** They are numbered without a gap. */
  readonly id: number
  readonly commit: string
  /** By itself, or because a person went back to it. */
  readonly act: 'deploy' | 'rollBack'
  readonly at: number
  readonly subject: string
  readonly author: string
  readonly committedAt: number
  /** How many pipelines it has. */
  readonly pipelines: number
}

/** What is wrong with a commit. */
export interface DeployProblem {
  /** In the repository. */
  readonly file: string
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
}

/** What the newest look at the remote repository found. */
export interface RemoteLook {
  readonly state: 'current' | 'refused' | 'unreachable' | 'ref-gone'
  /** When that began. */
  readonly since: number
  readonly lookedAt: number
  /** The commit there; absent if none was found. */
  readonly commit?: string | undefined
  readonly subject?: string | undefined
  readonly author?: string | undefined
  readonly committedAt?: number | undefined
  /** The first problems of a refused commit. */
  readonly problems?: readonly DeployProblem[] | undefined
  readonly problemCount?: number | undefined
  /** Why the repository is not reached, or why the commit is refused as a whole. */
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string | undefined } | undefined
  /** People were told. */
  readonly told?: boolean | undefined
}

/** What to tell people about deployments. */
export interface DeploymentNews {
  readonly what: 'refused' | 'unreachable' | 'recovered'
  readonly at: number
  /** One sentence without its full stop. */
  readonly title: string
  readonly details: readonly string[]
  readonly error?: RemoteLook['error']
  /** Tells this from other news. */
  readonly key: string
}

/** What people want of deployments. */
export interface DeployOrders {
  readonly paused?: (Signed & { readonly at: number }) | undefined
  /** The commit that a roll back skips. */
  readonly skipped?: string | undefined
  /** Somebody asked for a look at this time. */
  readonly askedAt?: number | undefined
}

/** What is known about deployments; a look at the repository begins with it. */
export interface DeployStanding {
  /** In use. */
  readonly current: Deployment | undefined
  readonly look: RemoteLook | undefined
  readonly orders: DeployOrders
  /** Moves on with each look that is recorded, each roll back and each pause. */
  readonly turn: number
}

/**
 * Which commit is in use, and how the remote repository differs from it. The newest deployment is the one in use, for
 * every process that shares the state. Every implementation passes test/contract/deployments-suite.ts.
 */
export interface Deployments {
  current(): Promise<Deployment | undefined>
  /** Newest first. */
  list(limit: number): Promise<readonly Deployment[]>
  standing(): Promise<DeployStanding>
  /**
   * Puts a commit into use, and records what the look found and what to tell people, in one transaction. `after` is the
   * turn that the look began with: false, and nothing is changed, if that turn is over. So a process that was slow, or
   * that is no longer the keeper, never overtakes a newer look, a roll back or a pause.
   */
  deploy(
    deployment: Omit<Deployment, 'id' | 'act' | keyof Signed>,
    about: { readonly after: DeployStanding; readonly look: RemoteLook; readonly news?: DeploymentNews | undefined },
  ): Promise<boolean>
  /**
   * Goes back to an earlier commit, and skips one until there is a newer one. False if the deployment of the number
   * `after` is no longer in use. The audit log gets an entry, as for all acts of people.
   */
  rollBack(
    deployment: Omit<Deployment, 'id' | 'act' | keyof Signed>,
    about: { readonly after: number; readonly skips: string | undefined },
    actor: Actor,
  ): Promise<boolean>
  /** Records what a look found without a deployment; false as `deploy`. */
  noteLook(
    look: RemoteLook,
    about: { readonly after: DeployStanding; readonly news?: DeploymentNews | undefined },
  ): Promise<boolean>
  pause(at: number, actor: Actor): Promise<void>
  /** False if it was not paused. */
  resume(actor: Actor): Promise<boolean>
  /** Asks for a look at the remote repository now. */
  ask(at: number, actor: Actor): Promise<void>
}
