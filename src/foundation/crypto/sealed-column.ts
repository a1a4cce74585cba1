/**
 * A column whose values are sealed with the secret of the installation. It is described beside the code that writes it and
 * listed in `domain/setup/installation-secret.ts`, so that the values can be sealed again with another secret.
 */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** Of the keyring. */
  readonly purpose: string
  /** The primary key with its types, and what `context` needs. */
  readonly key: Readonly<Record<string, 'uuid' | 'text'>>
  /** What each value was sealed for. */
  readonly context: (row: Readonly<Record<string, string>>) => string
}
