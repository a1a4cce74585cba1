/** What the operator of the school gave you. */
export interface Application {
  /** The school's, such as https://academy.example */
  readonly origin: string
  readonly clientId: string
  /** Empty for a public application. */
  readonly clientSecret: string
  readonly redirectUri: string
}
