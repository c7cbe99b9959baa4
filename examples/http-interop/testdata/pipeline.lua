-- wrk sends 16 requests at once on each connection.
init = function()
  local list = {}
  for i = 1, 16 do
    list[i] = wrk.format("GET", i % 4 == 0 and "/stream?pieces=3" or "/hello")
  end
  batch = table.concat(list)
end
request = function() return batch end
