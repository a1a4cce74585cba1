-- Under {origin}/clients/ a school has only tools that it made. Another school may have published a document at
-- such an address, or this one did before it moved, and then this school knows the address as a foreign document.
-- It ends when the school moves there. Before, the move failed if a tool got the same address.

create function clear_tool_addresses(school uuid, origin text) returns void language plpgsql as $$
declare
  foreigners text[];
begin
  -- No client_id that is presented has a fragment, so a row with one is out of the way for good.
  foreigners := array(
    select client_id from clients
    where school_id = school and slug is null
      and starts_with(client_id, origin || '/clients/') and position('#' in client_id) = 0);
  -- Codes before the clients, as in every other place that ends a client.
  delete from authorization_codes
  where school_id = school and client_id = any (foreigners) and consumed_at is null;
  update clients set client_id = client_id || '#' || gen_random_uuid(), deleted_at = coalesce(deleted_at, now())
  where school_id = school and client_id = any (foreigners);
  update authorizations set revoked_at = now()
  where id in (
    select id from authorizations
    where school_id = school and revoked_at is null
      and starts_with(client_id, origin || '/clients/') and position('#' in client_id) > 0
    order by id for no key update);
end $$;
comment on function clear_tool_addresses is 'Ends the foreign clients of a school that have addresses of its own tools.';

create or replace function move_tools() returns trigger language plpgsql as $$
begin
  perform clear_tool_addresses(new.id, new.origin);
  update clients set client_id = new.origin || '/clients/' || slug || '.json'
  where school_id = new.id and slug is not null;
  return null;
end $$;

select clear_tool_addresses(id, origin) from schools;
