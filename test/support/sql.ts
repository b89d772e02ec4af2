import pg from 'pg'

/** Runs statements on a new connection. A URL without a database means the cluster's default one. */
export async function sql(url: string, ...statements: readonly string[]): Promise<void> {
  await connected(url, async (client) => {
    for (const statement of statements) await client.query(statement)
  })
}

/** The rows of a query, on a new connection. */
export function sqlRows(url: string, query: string, ...values: readonly unknown[]): Promise<Record<string, unknown>[]> {
  return connected(url, async (client) => (await client.query<Record<string, unknown>>(query, [...values])).rows)
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url.includes('/', 'postgresql://'.length) ? url : `${url}/postgres`,
  })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
