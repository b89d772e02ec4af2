import { signal } from '@preact/signals'
import { BASE_PATH } from '../base-path.ts'
import { serverTime } from '../time/now.ts'
import { type Change, emitChange } from './changes.ts'
import { followChanges } from './event-stream.ts'

type Connection = { readonly state: 'connecting' | 'live' } | { readonly state: 'lost'; readonly since: number }

/** Whether changes arrive in this tab. */
export const connection = signal<Connection>({ state: 'connecting' })

type Message = { readonly change: Change } | { readonly tells: 'lost' | 'live' } | { readonly asks: true }

/**
 * Shares one stream between all tabs of a browser, because a browser opens at most six connections to a server over
 * HTTP/1.1. The tab that holds the lock follows the server and tells the other tabs. When it closes, the next tab takes
 * over. If there are no locks (a page over plain HTTP from another machine), each tab follows the server itself.
 */
export function startSharedStream(): void {
  if (!('locks' in navigator)) {
    void followChanges(receive, lose)
    return
  }
  const name = `audience-events:${BASE_PATH}`
  const channel = new BroadcastChannel(name)
  const send = (message: Message) => channel.postMessage(message)
  let isLeader = false
  let isLive = false
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if ('asks' in data) {
      if (isLeader) send({ tells: isLive ? 'live' : 'lost' })
    } else if ('change' in data) receive(data.change)
    else if (data.tells === 'live') noteLive()
    else lose()
  }
  send({ asks: true })
  void navigator.locks.request(name, () => {
    isLeader = true
    void followChanges(
      (change) => {
        isLive = true
        receive(change)
        send({ change })
      },
      () => {
        isLive = false
        lose()
        send({ tells: 'lost' })
      },
    )
    // The lock is held until the tab closes.
    return new Promise<never>(() => {})
  })
}

function noteLive(): void {
  if (connection.peek().state !== 'live') connection.value = { state: 'live' }
}

function lose(): void {
  if (connection.peek().state !== 'lost') connection.value = { state: 'lost', since: serverTime() }
  emitChange({ kind: 'lost' })
}

function receive(change: Change): void {
  noteLive()
  emitChange(change)
}
