// Flows over given links in SimGrid, which shares links by max-min fairness in code that is not ours. From the standard
// input: how many links, the capacity of each in B/s; how many flows, and of each its start in s, its bytes, the number
// of its links and the links. Prints the time at which each flow ends, in s.
#include <cstdio>
#include <iostream>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace sg = simgrid::s4u;

struct Flow {
    double start = 0;
    double bytes = 0;
    std::vector<std::size_t> links;
    double end = 0;
};

int main(int argc, char** argv) {
    sg::Engine engine(&argc, argv);
    sg::Engine::set_config("network/model:CM02");
    sg::Engine::set_config("network/crosstraffic:0");
    sg::Engine::set_config("network/TCP-gamma:0");
    sg::Engine::set_config("network/weight-S:0");
    sg::Engine::set_config("network/bandwidth-factor:1");
    sg::Engine::set_config("network/latency-factor:1");
    sg::Engine::set_config("network/loopback-lat:0");
    sg::NetZone* zone = sg::create_full_zone("all");

    std::size_t count = 0;
    std::cin >> count;
    std::vector<const sg::Link*> links(count);
    for (std::size_t i = 0; i < count; ++i) {
        double capacity = 0;
        std::cin >> capacity;
        links[i] = zone->create_link("l" + std::to_string(i), capacity)->set_latency(0)->seal();
    }
    std::cin >> count;
    std::vector<Flow> flows(count);
    // Every flow has two hosts of its own, since a pair of hosts has one route.
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t hops = 0;
        std::cin >> flows[i].start >> flows[i].bytes >> hops;
        flows[i].links.resize(hops);
        for (std::size_t& link : flows[i].links) std::cin >> link;
        sg::Host* from = zone->create_host("a" + std::to_string(i), 1e9);
        sg::Host* to = zone->create_host("b" + std::to_string(i), 1e9);
        std::vector<sg::LinkInRoute> route;
        for (const std::size_t link : flows[i].links) route.emplace_back(links[link]);
        zone->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, route, false);
        from->seal();
        to->seal();
        sg::Actor::create("f" + std::to_string(i), from, [&flow = flows[i], from, to] {
            sg::this_actor::sleep_until(flow.start);
            sg::Comm::sendto_init(from, to)->set_payload_size(static_cast<std::uint64_t>(flow.bytes))->wait();
            flow.end = sg::Engine::get_clock();
        });
    }
    zone->seal();
    engine.run();
    for (const Flow& flow : flows) std::printf("%.17g\n", flow.end);
    return 0;
}
