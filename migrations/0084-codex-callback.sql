-- Codex makes the path of its callback from the address of the tool endpoint. The template of an application for Codex
-- registers it, so it has to follow the school to a new origin.

create function codex_callback(origin text) returns text language sql immutable as $$
  select 'http://127.0.0.1/callback/' || translate(
    encode(substring(sha256(convert_to(origin || '/mcp/member', 'UTF8')) from 1 for 9), 'base64'), '+/', '-_')
$$;
comment on function codex_callback is 'The callback of Codex for the member''s tool endpoint of an origin, as assistants.ts makes it.';

create or replace function move_tools() returns trigger language plpgsql as $$
begin
  perform clear_tool_addresses(new.id, new.origin);
  update clients set client_id = new.origin || '/clients/' || slug || '.json'
  where school_id = new.id and slug is not null;
  update clients
  set redirect_uris = array_replace(redirect_uris, codex_callback(old.origin), codex_callback(new.origin))
  where school_id = new.id and assistant = 'codex';
  return null;
end $$;
comment on function move_tools is 'Gives the tools of a school, and its applications for Codex, the addresses of its new origin.';
