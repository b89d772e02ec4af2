import type { Conclusion } from './poll-for-outcome.ts'
import type { FoundAnswer } from './reconciler.ts'

type Settled =
  | { readonly state: 'done'; readonly answer: FoundAnswer }
  | { readonly state: 'notDone' }
  | { readonly state: 'unknown'; readonly found: string; readonly cause?: unknown }

interface Standing {
  readonly confirmed: boolean
  readonly sendsAgain: boolean
  /** The service's text when it refused a second request. */
  readonly refused: string | undefined
}

/** The conclusion from the search for a write whose answer was lost. */
export function settle(conclusion: Conclusion, { confirmed, sendsAgain, refused }: Standing): Settled {
  switch (conclusion.state) {
    case 'done':
      return conclusion
    case 'ambiguous':
      return { state: 'unknown', found: conclusion.why }
    case 'inProgress':
      return { state: 'unknown', found: 'work in progress at the service has not ended' }
    case 'unreachable':
      return {
        state: 'unknown',
        found: `reading the service failed (${conclusion.error.message})`,
        cause: conclusion.error,
      }
    case 'notDone':
    case 'notVisible': {
      if (confirmed) return { state: 'unknown', found: 'you said that it was done, but it is not there (yet)' }
      if (sendsAgain) return { state: 'notDone' }
      const found = 'it is not there (yet)'
      return { state: 'unknown', found: refused === undefined ? found : `${found}, and the second request ${refused}` }
    }
  }
}
