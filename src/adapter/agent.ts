import type * as undici from 'undici'
// @ts-expect-error: undici has no types for its parts.
import AgentAlone from 'undici/lib/dispatcher/agent.js'

/** The agent of undici alone: all of undici, with its fetch, caches and mocks, takes three times as long to load. */
export const Agent: typeof undici.Agent = AgentAlone
export type Agent = undici.Agent
