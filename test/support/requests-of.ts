import type { ReadyService } from './audience.ts'

/** The requests that the service has received, oldest first, as `POST /api/files`. */
export async function requestsOf({ control }: ReadyService): Promise<string[]> {
  const answer = await fetch(`${control.url}/requests?limit=10000`, {
    headers: { authorization: `Bearer ${control.token}` },
  })
  const { requests } = (await answer.json()) as { requests: { method: string; path: string }[] }
  return requests.map(({ method, path }) => `${method} ${path}`).reverse()
}
