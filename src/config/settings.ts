import { join } from 'node:path'
import type { ErrorDetails } from '../core/errors.ts'
import type { HostPattern } from '../core/host-pattern.ts'
import type { ListLimits } from '../core/list-limits.ts'
import type { ListSources } from '../core/list-source.ts'
import type { Policy } from '../core/policy.ts'
import type { Privacy } from '../core/privacy.ts'
import type { ProfileValues } from '../core/profile-values.ts'
import type { Retention } from '../core/retention.ts'
import type { Profile } from './config-schema.ts'
import type { ConsoleSettings } from './console-config.ts'
import type { DatabaseAddress } from './database-url.ts'
import type { HeartbeatsConfig } from './heartbeats-config.ts'
import type { NotifyConfig, SmtpConfig } from './notify-config.ts'
import type { GitSettings } from './pipelines-config.ts'

/** The settings of a command: flags override the environment, which overrides the file. */
export interface Settings {
  readonly profileName: string
  /**
   * Whether a flag, the environment, audience.yaml or an earlier run names the profile; otherwise it is the default.
   */
  readonly isProfileChosen?: boolean
  readonly profile: Profile
  /** What the profile means for documents. */
  readonly values: ProfileValues
  readonly service: ServiceChoice
  /** The service of the profile itself, without the environment. */
  readonly profileService?: KnownService
  /** Absolute path of the state folder; with a database, of the folder for the files of this machine only. */
  readonly state: string
  /** Absolute path of the folder for files that all machines of a database need; by default the state folder. */
  readonly shared: string
  /** The database that holds the state instead of the folder. */
  readonly database?: DatabaseAddress
  /** Absolute path of the folder whose pipelines the daemon runs; with `deployment`, of the folder of the releases. */
  readonly pipelines: string
  /** The repository from which the pipelines are deployed, instead of a folder. */
  readonly deployment?: GitSettings
  /** The maximum number of runs that the daemon works on at the same time. */
  readonly maxRuns: number
  readonly notify?: NotifyConfig
  /** What documents may use. */
  readonly policy: Policy
  readonly retention: Retention
  readonly sources: ListSources
  readonly lists: ListLimits
  readonly privacy: Privacy
  /** The host names for which the daemon accepts requests, besides loopback names. */
  readonly hosts: readonly HostPattern[]
  readonly console: ConsoleSettings
  /**
   * Where the commands of this file run, and their environment. If absent, they run where this process runs, with its
   * environment.
   */
  readonly commands?: CommandPlace
  /** Its `caFile` is absolute. */
  readonly smtp?: SmtpConfig
  readonly heartbeats?: HeartbeatsConfig
  /** The tokens, passwords and keys that the file contains or names. */
  readonly secrets?: readonly string[]
}

/** Where commands run: their folder and their environment. */
interface CommandPlace {
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * The service to use. `unclear`: something shows that a service is intended, but not which one, and the embedded one
 * would be a wrong guess.
 */
export type ServiceChoice = KnownService | { readonly kind: 'unclear'; readonly problem: ErrorDetails }

export type KnownService =
  | { readonly kind: 'remote'; readonly baseUrl: string }
  | { readonly kind: 'embedded'; readonly folder: string }

/** Where the state is, for people: the folder, or the database without its password. */
export function stateName({ state, database }: Pick<Settings, 'state' | 'database'>): string {
  return database?.shown ?? state
}

/** The folder of the deployed commits, each in a folder with its name. */
export function releasesFolder({ shared }: Pick<Settings, 'shared'>): string {
  return join(shared, 'releases')
}

/** The folder in which the embedded service of a state folder stores its data. */
export function embeddedFolder({ state }: Pick<Settings, 'state'>): string {
  return join(state, 'service')
}

/** The folder, inside a state folder, for the lists of unfinished runs. */
export function listsFolder({ state }: Pick<Settings, 'state'>): string {
  return join(state, 'lists')
}

/** The folder for the fingerprints of lists. */
export function membershipFolder({ shared }: Pick<Settings, 'shared'>): string {
  return join(shared, 'membership')
}

/** The folder for files that people uploaded for inputs of runs. */
export function uploadsFolder({ shared }: Pick<Settings, 'shared'>): string {
  return join(shared, 'uploads')
}

/** The folder for local copies of files that triggers take from other machines. */
export function copiesFolder({ shared }: Pick<Settings, 'shared'>): string {
  return join(shared, 'remote')
}

/**
 * The folder in which the console keeps the key of its sessions and its sign-in links. Any worker of a database accepts
 * both.
 */
export function consoleFolder({ shared }: Pick<Settings, 'shared'>): string {
  return join(shared, 'console')
}

/** The channels that documents can name. */
export function channelNames({ notify }: Pick<Settings, 'notify'>): readonly string[] {
  return Object.keys(notify?.channels ?? {})
}
