import { readableEmail } from './folded-text.ts'
import { addressKey, emailKey } from './normalise-key.ts'

/** The functions that `normaliseSql` calls, by their names in SQL: `textFunctions` makes them DuckDB's. */
export const KEY_FUNCTIONS: Readonly<Record<string, (text: string) => string | undefined>> = {
  email_key: emailKey,
  address_key: addressKey,
  readable_email: readableEmail,
}
