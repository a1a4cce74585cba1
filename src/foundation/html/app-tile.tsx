import { Tile } from './components.tsx'

/** The logo of an app, or its initial. */
export function AppTile({ name, logoUrl }: { name: string; logoUrl: string | undefined }) {
  if (logoUrl === undefined) return <Tile name={name} tone="plain" />
  return <img class="tile tile-logo" src={logoUrl} alt="" width={48} height={48} />
}
