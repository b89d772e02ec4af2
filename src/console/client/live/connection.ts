import { signal } from '@preact/signals'

export type Connection = { readonly state: 'connecting' | 'live' } | { readonly state: 'lost'; readonly since: number }

/** Whether changes arrive in this tab. */
export const connection = signal<Connection>({ state: 'connecting' })

export function noteConnected(): void {
  if (connection.peek().state !== 'live') connection.value = { state: 'live' }
}

export function noteLost(): void {
  if (connection.peek().state !== 'lost') connection.value = { state: 'lost', since: Date.now() }
}
